// SPDX-License-Identifier: MIT
// Types: sizes, names, interning, arithmetic conversions.
#include "frontend/types.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/arithmetic.hpp"

namespace quern::frontend {
namespace {

struct ScalarRow {
  std::string_view name;
  std::uint64_t size;
  bool is_signed;
  Scalar dtype;
};

constexpr std::array<ScalarRow, 13> kScalars = {{{"void", 0, false, Scalar::unknown},
                                                 {"bool", 1, false, Scalar::boolean},
                                                 {"char", 1, true, Scalar::int8},
                                                 {"uchar", 1, false, Scalar::uint8},
                                                 {"short", 2, true, Scalar::int16},
                                                 {"ushort", 2, false, Scalar::uint16},
                                                 {"int", 4, true, Scalar::int32},
                                                 {"uint", 4, false, Scalar::uint32},
                                                 {"long", 8, true, Scalar::int64},
                                                 {"ulong", 8, false, Scalar::uint64},
                                                 {"half", 2, true, Scalar::float16},
                                                 {"float", 4, true, Scalar::float32},
                                                 {"double", 8, true, Scalar::float64}}};

const ScalarRow& row(const Type* type) {
  return kScalars[static_cast<std::size_t>(type->kind)];
}

unsigned qualifier_bits(const QualType& type) {
  return static_cast<unsigned>(type.is_const) | static_cast<unsigned>(type.is_volatile) << 1 |
         static_cast<unsigned>(type.is_restrict) << 2 | static_cast<unsigned>(type.space) << 3;
}

// Fields of unnamed members count as fields of the whole. A bit-field becomes a field without a name.
void add_fields(const Record& record, std::uint64_t offset, std::vector<StructField>& into) {
  for (const Field& field : record.fields) {
    if (field.is_bit_field()) continue;
    if (field.name.empty()) {
      if (!field.type->record->is_union) add_fields(*field.type->record, offset + field.offset, into);
      continue;
    }
    StructField entry{field.name, {}, offset + field.offset, 1};
    const Type* element = field.type.type;
    for (; element->kind == TypeKind::array; element = element->element.type) {
      entry.count *= element->count;
      entry.shape.push_back(element->count);
    }
    entry.dtype = dtype_of(element);
    into.push_back(std::move(entry));
  }
}

}  // namespace

bool Type::is_signed() const {
  return is_scalar() && row(this).is_signed;
}

const Field* Record::find(std::string_view wanted) const {
  for (const Field& field : fields)
    if (field.name == wanted) return &field;
  return nullptr;
}

const Field* Record::find_outer(std::string_view wanted) const {
  if (wanted.empty()) return nullptr;
  for (const Field& field : fields) {
    if (field.name == wanted) return &field;
    if (field.name.empty() && field.type->kind == TypeKind::structure &&
        field.type->record->find_outer(wanted))
      return &field;
  }
  return nullptr;
}

std::uint64_t size_of(const Type* type) {
  switch (type->kind) {
    case TypeKind::vector:
      return size_of(type->element.type) * (type->count == 3 ? 4 : type->count);
    case TypeKind::pointer:
      return 8;
    case TypeKind::array:
      return size_of(type->element.type) * type->count;
    case TypeKind::structure:
      return type->record->size;
    case TypeKind::opaque:
      return 0;
    case TypeKind::complex:
      return 2 * size_of(type->element.type);
    default:
      return row(type).size;
  }
}

std::uint64_t alignment_of(const Type* type) {
  if (type->kind == TypeKind::array) return alignment_of(type->element.type);
  if (type->kind == TypeKind::structure) return type->record->alignment;
  return std::max<std::uint64_t>(size_of(type), 1);
}

std::string name_of(const Type* type) {
  switch (type->kind) {
    case TypeKind::vector:
      return name_of(type->element.type) + std::to_string(type->count);
    case TypeKind::pointer:
      return name_of(type->element) + "*";
    case TypeKind::array:
      return name_of(type->element) + "[" + (type->count ? std::to_string(type->count) : "") + "]";
    case TypeKind::structure: {
      const Record& record = *type->record;
      if (!record.alias.empty()) return record.alias;
      return (record.is_union ? "union " : "struct ") + (record.name.empty() ? "<unnamed>" : record.name);
    }
    case TypeKind::opaque:
      return type->name;
    case TypeKind::complex:
      return type->element->kind == TypeKind::double_ ? "complex128" : "complex64";
    default:
      return std::string(row(type).name);
  }
}

std::string name_of(const QualType& type) {
  constexpr std::array<std::string_view, 4> kSpaces = {"", "__global ", "__local ", "__constant "};
  std::string text(kSpaces[static_cast<std::size_t>(type.space)]);
  if (type.type->is_pointer()) {
    text = name_of(type.type);
    if (type.is_const) text += " const";
    return text;
  }
  if (type.is_const) text += "const ";
  if (type.is_volatile) text += "volatile ";
  return text + name_of(type.type);
}

DType dtype_of(const Type* type) {
  if (type->is_scalar()) return DType::of(row(type).dtype);
  if (type->is_vector()) return DType::of(row(type->element.type).dtype, static_cast<unsigned>(type->count));
  if (type->is_complex())
    return DType::of(type->element->kind == TypeKind::double_ ? Scalar::complex128 : Scalar::complex64);
  if (type->kind == TypeKind::structure && type->record->is_complete && !type->record->is_union) {
    auto layout = std::make_shared<StructLayout>();
    layout->name = type->record->name.empty() ? type->record->alias : type->record->name;
    layout->size = type->record->size;
    layout->alignment = type->record->alignment;
    add_fields(*type->record, 0, layout->fields);
    return DType::structure(std::move(layout));
  }
  DType unknown;
  unknown.itemsize = size_of(type);
  return unknown;
}

Types::Types() {
  for (std::size_t i = 0; i < kScalars.size(); ++i) {
    scalars_.emplace_back();
    scalars_.back().kind = static_cast<TypeKind>(i);
  }
  std::size_t i = 0;
  for (const Type** member : {&void_, &bool_, &char_, &uchar, &short_, &ushort, &int_, &uint, &long_, &ulong,
                              &half, &float_, &double_})
    *member = &scalars_[i++];
  for (Type& type : complexes_) type.kind = TypeKind::complex;
  complexes_[0].element = {float_};
  complexes_[1].element = {double_};
}

const Type* Types::vector(const Type* element, unsigned lanes) {
  const Type*& slot = vectors_[{element, lanes, 0}];
  if (!slot) slot = &types_.emplace_back(Type{TypeKind::vector, {element}, lanes, nullptr, {}, 0});
  return slot;
}

const Type* Types::pointer(QualType pointee) {
  const Type*& slot = pointers_[{pointee.type, 0, qualifier_bits(pointee)}];
  if (!slot)
    slot = &types_.emplace_back(Type{TypeKind::pointer, pointee, 0, nullptr, {}, pointee->depth + 1});
  return slot;
}

const Type* Types::array(QualType element, std::uint64_t count) {
  const Type*& slot = arrays_[{element.type, count, qualifier_bits(element)}];
  if (!slot)
    slot = &types_.emplace_back(Type{TypeKind::array, element, count, nullptr, {}, element->depth + 1});
  return slot;
}

const Type* Types::opaque(std::string name) {
  const Type*& slot = opaques_[name];
  if (!slot) slot = &types_.emplace_back(Type{TypeKind::opaque, {}, 0, nullptr, std::move(name), 0});
  return slot;
}

Record* Types::make_record() {
  records_.emplace_back();
  records_.back().id = static_cast<int>(records_.size());
  return &records_.back();
}

const Type* Types::record_type(const Record* record) {
  const Type*& slot = record_types_[record];
  if (!slot) slot = &types_.emplace_back(Type{TypeKind::structure, {}, 0, record, {}, 0});
  return slot;
}

void Types::lay_out(Record& record) {
  // The layout of gcc and clang: a bit-field does not cross a unit of its type, and a bit-field of width 0
  // ends the unit.
  std::uint64_t end = 0, alignment = record.least_alignment;  // `end` counts bits
  for (Field& field : record.fields) {
    const std::uint64_t natural = alignment_of(field.type.type);
    const bool packed = record.packed || field.packed;
    const std::uint64_t own = packed                       ? 1
                              : record.most_alignment != 0 ? std::min(natural, record.most_alignment)
                                                           : natural;
    const std::uint64_t needed = std::max(own, field.least_alignment);
    const std::uint64_t begin = record.is_union ? 0 : end;
    if (field.is_bit_field()) {
      const auto bits = static_cast<std::uint64_t>(field.bits);
      const std::uint64_t unit = 8 * alignment_of(field.type.type);
      std::uint64_t at = begin;
      if (bits == 0 || (!packed && begin % unit + bits > unit)) at = rounded_up(begin, unit);
      if (field.least_alignment > 1) at = rounded_up(at, 8 * field.least_alignment);
      field.offset = at / 8;
      end = std::max(end, at + bits);
      if (!field.name.empty()) alignment = std::max(alignment, needed);
      continue;
    }
    field.offset = rounded_up(begin, 8 * needed) / 8;
    end = std::max(end, 8 * (field.offset + size_of(field.type.type)));
    alignment = std::max(alignment, needed);
  }
  record.alignment = alignment;
  record.size = rounded_up((end + 7) / 8, alignment);
  record.is_complete = true;
}

const Type* Types::named(std::string_view name) {
  static const auto* names = [] {
    auto* table = new std::unordered_map<std::string_view, TypeKind>;
    for (std::size_t i = 0; i < kScalars.size(); ++i) (*table)[kScalars[i].name] = static_cast<TypeKind>(i);
    for (const std::string_view alias : {"size_t", "uintptr_t", "event_t"}) (*table)[alias] = TypeKind::ulong;
    for (const std::string_view alias : {"ptrdiff_t", "intptr_t"}) (*table)[alias] = TypeKind::long_;
    (*table)["_Bool"] = TypeKind::bool_;
    // The atomic types of OpenCL 2 are aliases of ordinary types: only the atomic functions access them.
    for (const auto& [alias, kind] : {std::pair{"atomic_int", TypeKind::int_},
                                      {"atomic_uint", TypeKind::uint},
                                      {"atomic_long", TypeKind::long_},
                                      {"atomic_ulong", TypeKind::ulong},
                                      {"atomic_float", TypeKind::float_},
                                      {"atomic_double", TypeKind::double_},
                                      {"atomic_size_t", TypeKind::ulong},
                                      {"atomic_uintptr_t", TypeKind::ulong},
                                      {"atomic_intptr_t", TypeKind::long_},
                                      {"atomic_ptrdiff_t", TypeKind::long_},
                                      {"atomic_flag", TypeKind::int_},
                                      {"memory_order", TypeKind::int_},
                                      {"memory_scope", TypeKind::int_},
                                      {"cl_mem_fence_flags", TypeKind::uint}})
      (*table)[alias] = kind;
    return table;
  }();
  if (const auto found = names->find(name); found != names->end()) return scalar(found->second);
  if (has_complex) {  // names of NumPy and PyOpenCL
    if (name == "complex64" || name == "cfloat_t") return complex(float_);
    if (name == "complex128" || name == "cdouble_t") return complex(double_);
  }
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits == name.npos || digits == 0) return nullptr;
  const std::string_view count = name.substr(digits);
  const unsigned lanes = count == "2"    ? 2
                         : count == "3"  ? 3
                         : count == "4"  ? 4
                         : count == "8"  ? 8
                         : count == "16" ? 16
                                         : 0;
  const auto found = names->find(name.substr(0, digits));
  if (lanes == 0 || found == names->end() || found->second <= TypeKind::bool_ || name.find('_') != name.npos)
    return nullptr;
  return vector(scalar(found->second), lanes);
}

const Type* Types::with_scalar(const Type* shape, const Type* scalar) {
  return shape->is_vector() ? vector(scalar, static_cast<unsigned>(shape->count)) : scalar;
}

const Type* Types::unsigned_of(const Type* type) {
  const Type* s = type->scalar();
  const Type* result = s == char_ ? uchar : s == short_ ? ushort : s == int_ ? uint : s == long_ ? ulong : s;
  if (s == half) result = ushort;
  if (s == float_) result = uint;
  if (s == double_) result = ulong;
  return with_scalar(type, result);
}

const Type* Types::signed_of(const Type* type) {
  const Type* s = unsigned_of(type)->scalar();
  return with_scalar(type, s == uchar    ? char_
                           : s == ushort ? short_
                           : s == uint   ? int_
                           : s == ulong  ? long_
                                         : s);
}

const Type* promoted(Types& types, const Type* type) {
  return type->is_integer() && type->kind < TypeKind::int_ ? types.int_ : type;
}

const Type* usual_conversion(Types& types, const Type* a, const Type* b) {
  if (a->is_real() || b->is_real()) {
    if (!a->is_real()) return b;
    if (!b->is_real()) return a;
    return a->kind > b->kind ? a : b;
  }
  a = promoted(types, a);
  b = promoted(types, b);
  return a->kind > b->kind ? a : b;  // TypeKind is in the order of ranks, unsigned after signed
}

}  // namespace quern::frontend
