// Package libcxx has the one function that a static C++ library of GCC 12 or newer asks of glibc 2.36, so that a release needs no newer glibc than
// the rest of it does. The command imports it for that alone; there is nothing to call.
//
// A release links libstdc++ statically (see Makefile): the dynamic one of the build machine would demand one as new of the user's. The static
// one takes its random numbers from arc4random, where the glibc it was built on had that; all else that it asks is as old as DuckDB's own needs.
package libcxx
