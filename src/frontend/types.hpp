// SPDX-License-Identifier: MIT
// The types of OpenCL C and their rules: sizes, conversions, names.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "frontend/preprocess/token.hpp"
#include "quern/dtype.hpp"

namespace quern::frontend {

// The address space of an object. `unspecified` means private, for variables and for the targets of pointers.
enum class Space : std::uint8_t { unspecified, global, local, constant };

struct Type;

// A type with the qualifiers of a declaration.
struct QualType {
  const Type* type = nullptr;
  bool is_const = false;
  bool is_volatile = false;
  bool is_restrict = false;
  Space space = Space::unspecified;

  const Type* operator->() const { return type; }
  explicit operator bool() const { return type != nullptr; }
};

enum class TypeKind : std::uint8_t {
  void_,
  bool_,
  char_,
  uchar,
  short_,
  ushort,
  int_,
  uint,
  long_,
  ulong,
  half,
  float_,
  double_,
  vector,
  pointer,
  array,
  structure,
  opaque,  // images, samplers, events: the front end knows only their names
  complex,
};

struct Record;

struct Type {
  TypeKind kind = TypeKind::void_;
  QualType element;         // of a vector, pointer or array; the real type of a complex type
  std::uint64_t count = 0;  // lanes of a vector; elements of an array, 0 if its size is not given
  const Record* record = nullptr;
  std::string name;  // of an opaque type
  int depth = 0;     // number of nested pointers and arrays

  [[nodiscard]] bool is_integer() const { return kind >= TypeKind::bool_ && kind <= TypeKind::ulong; }
  [[nodiscard]] bool is_real() const { return kind >= TypeKind::half && kind <= TypeKind::double_; }
  [[nodiscard]] bool is_scalar() const { return kind >= TypeKind::bool_ && kind <= TypeKind::double_; }
  [[nodiscard]] bool is_vector() const { return kind == TypeKind::vector; }
  [[nodiscard]] bool is_pointer() const { return kind == TypeKind::pointer; }
  [[nodiscard]] bool is_complex() const { return kind == TypeKind::complex; }
  [[nodiscard]] bool is_signed() const;
  // The type of a vector's components; otherwise the type itself.
  [[nodiscard]] const Type* scalar() const { return is_vector() ? element.type : this; }
};

struct Field {
  std::string name;
  QualType type;
  Location at;
  std::uint64_t offset = 0;
  std::uint64_t least_alignment = 1;  // from __attribute__((aligned(n)))
  bool packed = false;
  int bits = -1;  // width of a bit-field

  [[nodiscard]] bool is_bit_field() const { return bits >= 0; }
};

// A structure or a union.
struct Record {
  std::string name;   // empty if the source gives none
  std::string alias;  // if `name` is empty: the typedef of its declaration
  bool is_union = false;
  bool is_complete = false;
  bool packed = false;
  int id = 0;     // position in the order of definitions
  int depth = 0;  // number of nested structures
  std::vector<Field> fields;
  std::uint64_t size = 0, alignment = 1;
  std::uint64_t least_alignment = 1;  // from __attribute__((aligned(n)))
  // Limit for the alignment of its members, from #pragma pack(n); 0 if there is none.
  std::uint64_t most_alignment = 0;
  Location at;

  [[nodiscard]] const Field* find(std::string_view name) const;
  // Returns the field, or the unnamed structure or union that contains it.
  [[nodiscard]] const Field* find_outer(std::string_view name) const;
};

std::uint64_t size_of(const Type* type);  // 0 if the type has no size
std::uint64_t alignment_of(const Type* type);
std::string name_of(const Type* type);      // as in OpenCL C: "float4", "struct node", "float*"
std::string name_of(const QualType& type);  // with qualifiers: "__global const float*"
DType dtype_of(const Type* type);           // Scalar::unknown if NumPy has no such dtype

// Creates and owns types. Equal types are the same object.
class Types {
 public:
  Types();
  const Type* scalar(TypeKind kind) const { return &scalars_[static_cast<std::size_t>(kind)]; }
  const Type* vector(const Type* element, unsigned lanes);
  const Type* pointer(QualType pointee);
  const Type* array(QualType element, std::uint64_t count);
  const Type* opaque(std::string name);
  const Type* complex(const Type* part) const { return &complexes_[part == double_ ? 1 : 0]; }
  Record* make_record();
  const Type* record_type(const Record* record);
  // Assigns offsets, size and alignment once all fields are known.
  static void lay_out(Record& record);
  // Returns the built-in type of a name such as "float4", "uint" or "size_t"; null if there is none.
  const Type* named(std::string_view name);
  // Whether named() knows "complex64" and the other complex types; set by #pragma quern complex.
  bool has_complex = false;
  // A type with the lanes of `shape` and the given component type; then the types of the same width and lanes
  // with the other signedness.
  const Type* with_scalar(const Type* shape, const Type* scalar);
  const Type* unsigned_of(const Type* type);
  const Type* signed_of(const Type* type);

  const Type *void_, *bool_, *char_, *uchar, *short_, *ushort, *int_, *uint, *long_, *ulong, *half, *float_,
      *double_;

 private:
  using Key = std::tuple<const Type*, std::uint64_t, unsigned>;
  std::deque<Type> scalars_;
  std::array<Type, 2> complexes_;
  std::deque<Type> types_;
  std::deque<Record> records_;
  std::map<Key, const Type*> vectors_, pointers_, arrays_;
  std::map<std::string, const Type*, std::less<>> opaques_;
  std::map<const Record*, const Type*> record_types_;
};

// The type of a scalar operand after integer promotion, and the common type of two scalar operands.
const Type* promoted(Types& types, const Type* type);
const Type* usual_conversion(Types& types, const Type* a, const Type* b);

}  // namespace quern::frontend
