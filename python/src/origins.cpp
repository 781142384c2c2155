// SPDX-License-Identifier: MIT
// Source lines of Python: a number for each position, which is a code object and an offset in it.
#include "origins.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "binding.hpp"
#include "interpreter.hpp"
#include "origin_text.hpp"
// Must come after Python.h.
#include <frameobject.h>

namespace quern::python {
namespace {

struct Place {
  PyCodeObject* code = nullptr;
  std::ptrdiff_t offset = 0;  // bytes
  bool operator==(const Place&) const = default;
};

struct PlaceHash {
  std::size_t operator()(const Place& place) const noexcept {
    const auto bits = reinterpret_cast<std::uintptr_t>(place.code) / alignof(std::max_align_t);
    return (bits * 31 + static_cast<std::size_t>(place.offset)) * 0x9e3779b97f4a7c15U >> 20;
  }
};

// All known positions, guarded by the GIL. They keep their code objects alive, so that no other object gets
// the same address and lines can be looked up later. Their number is limited, for programs that generate code
// at run time.
class Places {
 public:
  static constexpr Origin kInside = UINT32_MAX;  // the library's own lines do not help the user
  static Places& instance() {
    static auto* const places = new Places;  // never destroyed: errors may occur at any time
    return *places;
  }

  // 0 if it is new and the table is full.
  Origin find(const Place& place) {
    Recent& recent = recent_[PlaceHash()(place) % recent_.size()];
    if (recent.place == place) return recent.origin;
    const auto found = known_.find(place);
    const Origin origin = found != known_.end() ? found->second : add(place);
    if (origin != 0) recent = {place, origin};
    return origin;
  }
  [[nodiscard]] const Place* get(Origin origin) const {
    return origin > 0 && origin <= list_.size() ? &list_[origin - 1] : nullptr;
  }

 private:
  static constexpr std::size_t kMost = 65536;

  Origin add(const Place& place) {
    if (known_.size() == kMost) return 0;
    if (package_.empty()) package_ = package_folder();
    const char* const file = PyUnicode_AsUTF8(place.code->co_filename);
    if (file == nullptr) PyErr_Clear();
    const std::string_view name = file != nullptr ? file : "";
    // CPython 3.12 has frames between C and Python that belong to no function.
    const bool is_inside = name.starts_with(package_) || name == "<shim>";
    if (!is_inside && list_.size() == list_.capacity()) list_.reserve(2 * list_.size() + 64);
    Origin& origin = known_[place];
    Py_INCREF(reinterpret_cast<PyObject*>(place.code));
    if (!is_inside) list_.push_back(place);
    return origin = is_inside ? kInside : static_cast<Origin>(list_.size());
  }

  // With a trailing slash.
  static std::string package_folder() {
    const auto package = nb::steal(PyImport_GetModule(nb::str("quern").ptr()));
    if (!package.is_valid()) return "quern/";  // the compiled module alone
    return nb::cast<std::string>(nb::str(nb::object(package.attr("__path__")[nb::int_(0)]))) + "/";
  }

  // The last position of each hash value: a loop repeats few of them, and a search of the table takes longer.
  struct Recent {
    Place place;
    Origin origin = 0;
  };

  std::string package_;
  std::array<Recent, 256> recent_;
  std::unordered_map<Place, Origin, PlaceHash> known_;
  std::vector<Place> list_;
};

// f(position) for each line of the call stack, the innermost first, as long as it returns kInside.
#if PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030e0000 && !defined(PYPY_VERSION)
// CPython creates frame objects only on request, which takes longer than all the rest. The internal frames
// are not declared in public headers, but their layout is fixed within a version, and debuggers rely on it.
template <class F>
Origin innermost(const F& f) {
  constexpr std::size_t kInstruction = 7;
#if PY_VERSION_HEX >= 0x030c0000
  constexpr std::size_t kCode = 0, kPrevious = 1;
#else
  constexpr std::size_t kCode = 4, kPrevious = 6;
#endif
  PyThreadState* const thread = PyThreadState_Get();
#if PY_VERSION_HEX >= 0x030d0000
  const void* frame = thread->current_frame;
#else
  const void* frame = thread->cframe->current_frame;
#endif
  Origin result = Places::kInside;
  while (frame != nullptr && result == Places::kInside) {
    const auto* const words = static_cast<void* const*>(frame);
    auto* const code = static_cast<PyObject*>(words[kCode]);
    frame = words[kPrevious];
    if (code == nullptr || !PyCode_Check(code)) continue;  // None, between C and Python
    auto* const function = reinterpret_cast<PyCodeObject*>(code);
    result = f({function, static_cast<const char*>(words[kInstruction]) - function->co_code_adaptive});
  }
  return result;
}
#else
template <class F>
Origin innermost(const F& f) {
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(reinterpret_cast<PyObject*>(frame));
  Origin result = Places::kInside;
  while (frame != nullptr && result == Places::kInside) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
#if PY_VERSION_HEX >= 0x030b0000
    const std::ptrdiff_t offset = PyFrame_GetLasti(frame);
#else
    const std::ptrdiff_t offset = frame->f_lasti * static_cast<std::ptrdiff_t>(sizeof(_Py_CODEUNIT));
#endif
    result = f({code, offset});
    Py_DECREF(reinterpret_cast<PyObject*>(code));
    PyFrameObject* const outer = PyFrame_GetBack(frame);
    Py_DECREF(reinterpret_cast<PyObject*>(frame));
    frame = outer;
  }
  Py_XDECREF(reinterpret_cast<PyObject*>(frame));
  return result;
}
#endif

// Formats "file:line".
std::string text_of_place(const Place& place) {
  const char* const file = PyUnicode_AsUTF8(place.code->co_filename);
  if (file == nullptr) PyErr_Clear();
  const int line = PyCode_Addr2Line(place.code, static_cast<int>(place.offset));
  return std::string(file != nullptr ? file : "?") + ":" + std::to_string(line);
}

std::string text_of_origin(Origin origin) {
  if (!has_interpreter()) return {};
  const AcquireGil gil;  // the error is reported without it
  const Place* const place = Places::instance().get(origin);
  return place != nullptr ? text_of_place(*place) : std::string();
}

}  // namespace

void remember_origins() {
  set_origin_text(&text_of_origin);
}

void note_origin() noexcept {
  try {
    static Places& places = Places::instance();
    const Origin origin = innermost([](const Place& place) { return places.find(place); });
    set_origin(origin != Places::kInside ? origin : 0);
  } catch (...) {
    set_origin(0);
  }
}

std::string origin_here() {
  Places& places = Places::instance();
  const Origin origin = innermost([&](const Place& place) { return places.find(place); });
  const Place* const place = origin != Places::kInside ? places.get(origin) : nullptr;
  return place != nullptr ? text_of_place(*place) : "an unknown line";
}

}  // namespace quern::python
