// SPDX-License-Identifier: MIT
// Where in Python operations are written: a number for each place, which is a code object and an offset in
// it.
#include "origins.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "binding.hpp"
#include "interpreter.hpp"
// Not before Python.h
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

// All places that are known, with the GIL held. They keep their code objects, so that no other one ever has
// the same address, and lines can be looked up when somebody asks; hence there is a limit, for programs that
// make code as they run.
class Places {
 public:
  static constexpr Origin kInside = UINT32_MAX;  // our own lines tell a user nothing
  static Places& instance() {
    static auto* const places = new Places;  // never destroyed: errors may come at any time
    return *places;
  }

  // 0 where it is new, and there are too many.
  Origin find(const Place& place) {
    const auto found = known_.find(place);
    return found != known_.end() ? found->second : add(place);
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
    // CPython 3.12 has frames that are no function's, between C and Python.
    const bool is_inside = name.starts_with(package_) || name == "<shim>";
    if (!is_inside && list_.size() == list_.capacity()) list_.reserve(2 * list_.size() + 64);
    Origin& origin = known_[place];
    Py_INCREF(reinterpret_cast<PyObject*>(place.code));
    if (!is_inside) list_.push_back(place);
    return origin = is_inside ? kInside : static_cast<Origin>(list_.size());
  }

  // With a slash.
  static std::string package_folder() {
    const auto package = nb::steal(PyImport_GetModule(nb::str("quern").ptr()));
    if (!package.is_valid()) return "quern/";  // the compiled part alone
    return nb::cast<std::string>(nb::str(nb::object(package.attr("__path__")[nb::int_(0)]))) + "/";
  }

  std::string package_;
  std::unordered_map<Place, Origin, PlaceHash> known_;
  std::vector<Place> list_;
};

// f(place) for the lines that call each other, the innermost first, for as long as it returns kInside.
#if PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030e0000 && !defined(PYPY_VERSION)
// Frame objects are only made for those who ask, which takes longer than all else. What they are made of is
// not declared in public headers, but has been the same in all releases of a version, and is what debuggers
// look at.
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

// "file:line"
std::string text_of_origin(Origin origin) {
  if (!has_interpreter()) return {};
  const AcquireGil gil;  // errors are told without it
  const Place* const place = Places::instance().get(origin);
  if (place == nullptr) return {};
  const char* const file = PyUnicode_AsUTF8(place->code->co_filename);
  if (file == nullptr) PyErr_Clear();
  const int line = PyCode_Addr2Line(place->code, static_cast<int>(place->offset));
  return std::string(file != nullptr ? file : "?") + ":" + std::to_string(line);
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

}  // namespace quern::python
