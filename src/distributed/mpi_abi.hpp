// SPDX-License-Identifier: MIT
// The binary interfaces of MPI libraries: the types of their handles and the constants that Quern uses. They
// are declared here, so that one build of Quern works with every library that a machine has.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/shared_library.hpp"

namespace quern::distributed {

// A handle is the address of an object of the library.
struct OpenMpiAbi {
  using Handle = void*;
  static constexpr int kAnySource = -1;
  static constexpr std::size_t kSourceAt = 0;  // in a status
  static Handle constant(const SharedLibrary& library, const char* name) {
    const std::string symbol = std::string("ompi_") + name;
    // A program that is linked to the library may hold the objects (copy relocations).
    void* const of_program = ::dlsym(RTLD_DEFAULT, symbol.c_str());
    return of_program != nullptr ? of_program : library.symbol(symbol.c_str());
  }
  static Handle world(const SharedLibrary& library) { return constant(library, "mpi_comm_world"); }
  static Handle byte(const SharedLibrary& library) { return constant(library, "mpi_byte"); }
  static Handle errors_return(const SharedLibrary& library) { return constant(library, "mpi_errors_return"); }
};

// The interface that MPICH, Intel MPI, MVAPICH and others share: a handle is a number.
struct MpichAbi {
  using Handle = int;
  static constexpr int kAnySource = -2;
  static constexpr std::size_t kSourceAt = 8;
  static Handle world(const SharedLibrary&) { return 0x44000000; }
  static Handle byte(const SharedLibrary&) { return 0x4c00010d; }
  static Handle errors_return(const SharedLibrary&) { return 0x54000001; }
};

// An MPI_Status of any of them.
struct MpiStatus {
  alignas(8) unsigned char bytes[64] = {};
  template <class Abi>
  [[nodiscard]] int source() const {
    int value = 0;
    std::memcpy(&value, bytes + Abi::kSourceAt, sizeof value);
    return value;
  }
};

// The functions that Quern calls.
template <class Abi>
struct MpiFunctions {
  using Handle = typename Abi::Handle;
  int (*Initialized)(int*);
  int (*Finalized)(int*);
  int (*Init_thread)(int*, char***, int, int*);
  int (*Query_thread)(int*);
  int (*Finalize)();
  int (*Abort)(Handle, int);
  int (*Comm_rank)(Handle, int*);
  int (*Comm_size)(Handle, int*);
  int (*Comm_idup)(Handle, Handle*, Handle*);
  int (*Comm_set_errhandler)(Handle, Handle);
  int (*Isend)(const void*, int, Handle, int, int, Handle, Handle*);
  int (*Irecv)(void*, int, Handle, int, int, Handle, Handle*);
  int (*Test)(Handle*, int*, MpiStatus*);
  int (*Iprobe)(int, int, Handle, int*, MpiStatus*);
  int (*Error_string)(int, char*, int*);
  int (*Get_library_version)(char*, int*);
};

}  // namespace quern::distributed
