// prelude.cuh: the names of prelude.glsl in CUDA C++: vectors with swizzles, shared memory, barriers, atomics and
// shuffles. Include prelude.glsl after `#define ONEPASS_CUDA 1`. docs/shaders/cuda.md
//
// A kernel is a struct: its members are the constants and pointers, and the shader headers are included in its body, so
// that their functions see these. clang compiles it without NVIDIA's headers; the page has the command.
//
// On the host the same text runs in a program that defines the functions of OnepassWorkgroup, one thread per invocation
// (tests/cuda). C++20, GNU extensions (anonymous structs).
#ifndef ONEPASS_PRELUDE_CUH_
#define ONEPASS_PRELUDE_CUH_

#ifndef ONEPASS_SUBGROUP
#define ONEPASS_SUBGROUP 0
#endif

#if defined(__clang__)
// Full: a loop whose bound is a parameter waits for the function to be inlined.
#define ONEPASS_UNROLL _Pragma("clang loop unroll(full)")
#define ONEPASS_LOOP _Pragma("clang loop unroll(disable)")
#else
#define ONEPASS_UNROLL
#define ONEPASS_LOOP
#endif
#define ONEPASS_CONST const
#define ONEPASS_TABLE static constexpr
#define ONEPASS_PRIVATE
#define ONEPASS_COHERENT volatile
#define ONEPASS_OUT(type) type&
#define ONEPASS_INOUT(type) type&
#define ONEPASS_OUT_ARRAY(type) type
#define ONEPASS_INOUT_ARRAY(type) type

#if defined(__CUDA__)
#define ONEPASS_SHARED static inline __attribute__((shared))
#define ONEPASS_KERNEL extern "C" __attribute__((global)) void
// Functions between these two are functions of the device.
#define ONEPASS_DEVICE_BEGIN                    \
  _Pragma("clang force_cuda_host_device begin") \
      _Pragma("clang attribute push(__attribute__((always_inline)), apply_to = function)")
#define ONEPASS_DEVICE_END _Pragma("clang attribute pop") _Pragma("clang force_cuda_host_device end")
#else
#define ONEPASS_SHARED static inline
#define ONEPASS_KERNEL inline void
#define ONEPASS_DEVICE_BEGIN
#define ONEPASS_DEVICE_END
#endif

ONEPASS_DEVICE_BEGIN

typedef unsigned int uint;

// ---- Vectors

template <typename T, int N>
struct OnepassVector;

/// Components I... of a vector of N, as a value or to assign to. `Of`: the vector of these components; as a template
/// argument it makes its operators known here.
template <typename Of, typename T, int N, int... I>
struct OnepassSwizzle {
  T in[N];
  constexpr operator Of() const { return Of(in[I]...); }
  constexpr OnepassSwizzle& operator=(const Of& value) {
    int i = 0;
    ((in[I] = value[i++]), ...);
    return *this;
  }
};

// ---- Functions of numbers

static inline constexpr uint onepass_min(uint a, uint b) { return b < a ? b : a; }
static inline constexpr uint onepass_max(uint a, uint b) { return a < b ? b : a; }
static inline constexpr int onepass_min(int a, int b) { return b < a ? b : a; }
static inline constexpr int onepass_max(int a, int b) { return a < b ? b : a; }
// Min and max of floats are one instruction of PTX: -0 is below +0, and beside a NaN the result is the other number.
#if defined(__CUDA__)
static inline float onepass_min(float a, float b) { return __nvvm_fmin_f(a, b); }
static inline float onepass_max(float a, float b) { return __nvvm_fmax_f(a, b); }
#else
static inline float onepass_min(float a, float b) {
  if (a == b) return __builtin_signbit(a) ? a : b;
  return a < b || b != b ? a : b;
}
static inline float onepass_max(float a, float b) {
  if (a == b) return __builtin_signbit(a) ? b : a;
  return b < a || b != b ? a : b;
}
#endif
static inline float onepass_clamp(float a, float low, float high) { return onepass_min(onepass_max(a, low), high); }
static inline constexpr int onepass_clamp(int a, int low, int high) { return onepass_min(onepass_max(a, low), high); }
static inline constexpr uint onepass_clamp(uint a, uint low, uint high) {
  return onepass_min(onepass_max(a, low), high);
}
static inline float onepass_abs(float a) { return __builtin_fabsf(a); }
static inline constexpr int onepass_abs(int a) { return a < 0 ? -a : a; }
static inline float onepass_floor(float a) { return __builtin_floorf(a); }
static inline float onepass_ceil(float a) { return __builtin_ceilf(a); }
static inline float onepass_sqrt(float a) { return __builtin_sqrtf(a); }

// ---- Vectors: the parts that all lengths have. Operators and functions are friends, so that an operand may be a
// swizzle. Copies are made component by component: a copy of the bytes of one of two vectors (a ? b : c) would keep
// both in local memory.

#define ONEPASS_VECTOR_OPERATOR_(op)                                                             \
  friend constexpr OnepassVector operator op(OnepassVector a, const OnepassVector& b) {          \
    for (int i = 0; i < kSize; ++i) a[i] = a[i] op b[i];                                         \
    return a;                                                                                    \
  }                                                                                              \
  friend constexpr OnepassVector operator op(OnepassVector a, Scalar b) {                        \
    for (int i = 0; i < kSize; ++i) a[i] = a[i] op b;                                            \
    return a;                                                                                    \
  }                                                                                              \
  friend constexpr OnepassVector operator op(Scalar a, OnepassVector b) {                        \
    for (int i = 0; i < kSize; ++i) b[i] = a op b[i];                                            \
    return b;                                                                                    \
  }                                                                                              \
  constexpr OnepassVector& operator op##=(const OnepassVector& b) { return *this = *this op b; } \
  constexpr OnepassVector& operator op##=(Scalar b) { return *this = *this op b; }
#define ONEPASS_VECTOR_FUNCTION_(name)                                           \
  friend constexpr OnepassVector name(OnepassVector a, const OnepassVector& b) { \
    for (int i = 0; i < kSize; ++i) a[i] = name(a[i], b[i]);                     \
    return a;                                                                    \
  }                                                                              \
  friend constexpr OnepassVector name(OnepassVector a, Scalar b) {               \
    for (int i = 0; i < kSize; ++i) a[i] = name(a[i], b);                        \
    return a;                                                                    \
  }
#define ONEPASS_VECTOR_UNARY_(name)                      \
  friend constexpr OnepassVector name(OnepassVector a) { \
    for (int i = 0; i < kSize; ++i) a[i] = name(a[i]);   \
    return a;                                            \
  }
#define ONEPASS_VECTOR_COMPARISON_(name, op)                                                         \
  friend constexpr OnepassVector<bool, kSize> name(const OnepassVector& a, const OnepassVector& b) { \
    OnepassVector<bool, kSize> out{};                                                                \
    for (int i = 0; i < kSize; ++i) out[i] = a[i] op b[i];                                           \
    return out;                                                                                      \
  }
#define ONEPASS_VECTOR_PARTS_(size)                                                              \
  using Scalar = T;                                                                              \
  static constexpr int kSize = size;                                                             \
  OnepassVector() = default;                                                                     \
  constexpr OnepassVector(const OnepassVector& from) : in{} {                                    \
    for (int i = 0; i < kSize; ++i) in[i] = from.in[i];                                          \
  }                                                                                              \
  constexpr OnepassVector& operator=(const OnepassVector& from) {                                \
    for (int i = 0; i < kSize; ++i) in[i] = from.in[i];                                          \
    return *this;                                                                                \
  }                                                                                              \
  template <typename U>                                                                          \
  explicit constexpr OnepassVector(const OnepassVector<U, size>& from) : in{} {                  \
    for (int i = 0; i < kSize; ++i) in[i] = static_cast<T>(from[i]);                             \
  }                                                                                              \
  explicit constexpr OnepassVector(T all) : in{} {                                               \
    for (int i = 0; i < kSize; ++i) in[i] = all;                                                 \
  }                                                                                              \
  constexpr T& operator[](uint i) { return in[i]; }                                              \
  constexpr const T& operator[](uint i) const { return in[i]; }                                  \
  ONEPASS_VECTOR_OPERATOR_(+)                                                                    \
  ONEPASS_VECTOR_OPERATOR_(-)                                                                    \
  ONEPASS_VECTOR_OPERATOR_(*)                                                                    \
  ONEPASS_VECTOR_OPERATOR_(/)                                                                    \
  ONEPASS_VECTOR_OPERATOR_(%)                                                                    \
  ONEPASS_VECTOR_OPERATOR_(&)                                                                    \
  ONEPASS_VECTOR_OPERATOR_(|)                                                                    \
  ONEPASS_VECTOR_OPERATOR_(^)                                                                    \
  ONEPASS_VECTOR_OPERATOR_(<<)                                                                   \
  ONEPASS_VECTOR_OPERATOR_(>>)                                                                   \
  ONEPASS_VECTOR_FUNCTION_(onepass_min)                                                          \
  ONEPASS_VECTOR_FUNCTION_(onepass_max)                                                          \
  ONEPASS_VECTOR_UNARY_(onepass_abs)                                                             \
  ONEPASS_VECTOR_UNARY_(onepass_floor)                                                           \
  ONEPASS_VECTOR_UNARY_(onepass_ceil)                                                            \
  ONEPASS_VECTOR_UNARY_(onepass_sqrt)                                                            \
  ONEPASS_VECTOR_COMPARISON_(onepass_less, <)                                                    \
  ONEPASS_VECTOR_COMPARISON_(onepass_greater, >)                                                 \
  ONEPASS_VECTOR_COMPARISON_(onepass_greater_equal, >=)                                          \
  friend constexpr bool operator==(const OnepassVector& a, const OnepassVector& b) {             \
    return !any(onepass_different_(a, b));                                                       \
  }                                                                                              \
  ONEPASS_VECTOR_COMPARISON_(onepass_different_, !=)                                             \
  friend constexpr OnepassVector operator-(const OnepassVector& a) { return T(0) - a; }          \
  friend constexpr bool all(const OnepassVector& a) {                                            \
    bool out = true;                                                                             \
    for (int i = 0; i < kSize; ++i) out = out && a[i];                                           \
    return out;                                                                                  \
  }                                                                                              \
  friend constexpr bool any(const OnepassVector& a) {                                            \
    bool out = false;                                                                            \
    for (int i = 0; i < kSize; ++i) out = out || a[i];                                           \
    return out;                                                                                  \
  }                                                                                              \
  friend constexpr T dot(const OnepassVector& a, const OnepassVector& b) {                       \
    T out = a[0] * b[0];                                                                         \
    for (int i = 1; i < kSize; ++i) out += a[i] * b[i];                                          \
    return out;                                                                                  \
  }                                                                                              \
  friend constexpr OnepassVector onepass_clamp(const OnepassVector& a, const OnepassVector& low, \
                                               const OnepassVector& high) {                      \
    return onepass_min(onepass_max(a, low), high);                                               \
  }                                                                                              \
  friend constexpr OnepassVector onepass_clamp(const OnepassVector& a, T low, T high) {          \
    return onepass_min(onepass_max(a, low), high);                                               \
  }

template <typename T>
struct alignas(2 * sizeof(T)) OnepassVector<T, 2> {
  union {
    struct {
      T x, y;
    };
    struct {
      T r, g;
    };
    T in[2];
    OnepassSwizzle<OnepassVector<T, 2>, T, 2, 0, 1> xy;
    OnepassSwizzle<OnepassVector<T, 2>, T, 2, 1, 0> yx;
    OnepassSwizzle<OnepassVector<T, 2>, T, 2, 0, 1> rg;
  };
  constexpr OnepassVector(T x_, T y_) : x(x_), y(y_) {}
  ONEPASS_VECTOR_PARTS_(2)
};

template <typename T>
struct OnepassVector<T, 3> {
  union {
    struct {
      T x, y, z;
    };
    struct {
      T r, g, b;
    };
    T in[3];
    OnepassSwizzle<OnepassVector<T, 2>, T, 3, 0, 1> xy;
    OnepassSwizzle<OnepassVector<T, 2>, T, 3, 1, 2> yz;
    OnepassSwizzle<OnepassVector<T, 2>, T, 3, 0, 2> xz;
    OnepassSwizzle<OnepassVector<T, 2>, T, 3, 2, 1> zy;
    OnepassSwizzle<OnepassVector<T, 2>, T, 3, 1, 0> yx;
    OnepassSwizzle<OnepassVector<T, 3>, T, 3, 0, 1, 2> xyz;
    OnepassSwizzle<OnepassVector<T, 2>, T, 3, 0, 1> rg;
    OnepassSwizzle<OnepassVector<T, 3>, T, 3, 0, 1, 2> rgb;
  };
  constexpr OnepassVector(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
  constexpr OnepassVector(const OnepassVector<T, 2>& xy_, T z_) : x(xy_.x), y(xy_.y), z(z_) {}
  ONEPASS_VECTOR_PARTS_(3)
};

template <typename T>
struct alignas(4 * sizeof(T)) OnepassVector<T, 4> {
  union {
    struct {
      T x, y, z, w;
    };
    struct {
      T r, g, b, a;
    };
    T in[4];
    OnepassSwizzle<OnepassVector<T, 2>, T, 4, 0, 1> xy;
    OnepassSwizzle<OnepassVector<T, 2>, T, 4, 2, 3> zw;
    OnepassSwizzle<OnepassVector<T, 2>, T, 4, 0, 2> xz;
    OnepassSwizzle<OnepassVector<T, 2>, T, 4, 1, 3> yw;
    OnepassSwizzle<OnepassVector<T, 2>, T, 4, 0, 3> xw;
    OnepassSwizzle<OnepassVector<T, 2>, T, 4, 2, 1> zy;
    OnepassSwizzle<OnepassVector<T, 2>, T, 4, 1, 0> yx;
    OnepassSwizzle<OnepassVector<T, 2>, T, 4, 1, 2> yz;
    OnepassSwizzle<OnepassVector<T, 3>, T, 4, 0, 1, 2> xyz;
    OnepassSwizzle<OnepassVector<T, 3>, T, 4, 3, 3, 3> www;
    OnepassSwizzle<OnepassVector<T, 3>, T, 4, 0, 0, 0> xxx;
    OnepassSwizzle<OnepassVector<T, 4>, T, 4, 0, 0, 0, 1> xxxy;
    OnepassSwizzle<OnepassVector<T, 4>, T, 4, 2, 2, 2, 3> zzzw;
    OnepassSwizzle<OnepassVector<T, 4>, T, 4, 1, 0, 3, 2> yxwz;
    OnepassSwizzle<OnepassVector<T, 4>, T, 4, 0, 1, 2, 3> xyzw;
    OnepassSwizzle<OnepassVector<T, 2>, T, 4, 0, 1> rg;
    OnepassSwizzle<OnepassVector<T, 2>, T, 4, 2, 3> ba;
    OnepassSwizzle<OnepassVector<T, 3>, T, 4, 0, 1, 2> rgb;
  };
  constexpr OnepassVector(T x_, T y_, T z_, T w_) : x(x_), y(y_), z(z_), w(w_) {}
  constexpr OnepassVector(const OnepassVector<T, 3>& a, T w_) : x(a.x), y(a.y), z(a.z), w(w_) {}
  constexpr OnepassVector(const OnepassVector<T, 2>& a, const OnepassVector<T, 2>& b)
      : x(a.x), y(a.y), z(b.x), w(b.y) {}
  constexpr OnepassVector(const OnepassVector<T, 2>& a, T z_, T w_) : x(a.x), y(a.y), z(z_), w(w_) {}
  ONEPASS_VECTOR_PARTS_(4)
};

#undef ONEPASS_VECTOR_OPERATOR_
#undef ONEPASS_VECTOR_FUNCTION_
#undef ONEPASS_VECTOR_UNARY_
#undef ONEPASS_VECTOR_COMPARISON_
#undef ONEPASS_VECTOR_PARTS_

typedef OnepassVector<int, 2> onepass_int2;
typedef OnepassVector<int, 3> onepass_int3;
typedef OnepassVector<uint, 2> onepass_uint2;
typedef OnepassVector<uint, 3> onepass_uint3;
typedef OnepassVector<uint, 4> onepass_uint4;
typedef OnepassVector<float, 2> onepass_float2;
typedef OnepassVector<float, 3> onepass_float3;
typedef OnepassVector<float, 4> onepass_float4;

/// A matrix of four columns.
struct onepass_float4x4 {
  onepass_float4 columns[4];
};
static inline onepass_float4 onepass_transform(const onepass_float4x4& matrix, const onepass_float4& vector) {
  return matrix.columns[0] * vector.x + matrix.columns[1] * vector.y + matrix.columns[2] * vector.z +
         matrix.columns[3] * vector.w;
}

/// A buffer of vectors through which workgroups exchange texels, ONEPASS_COHERENT: every access goes to memory.
template <typename T>
struct OnepassExchanged {
  using Scalar = typename T::Scalar;
  struct Element {
    volatile Scalar* at;
    operator T() const {
      T value;
      for (int i = 0; i < T::kSize; ++i) value[i] = at[i];
      return value;
    }
    const Element& operator=(const T& value) const {
      for (int i = 0; i < T::kSize; ++i) at[i] = value[i];
      return *this;
    }
  };
  Scalar* components;
  Element operator[](uint i) const { return {components + T::kSize * i}; }
};

// ---- Bits

#define onepass_zero(type) \
  type {}
static inline uint onepass_float_bits(float value) { return __builtin_bit_cast(uint, value); }
static inline float onepass_bits_float(uint bits) { return __builtin_bit_cast(float, bits); }
static inline onepass_uint2 onepass_float_bits(onepass_float2 v) {
  return onepass_uint2(onepass_float_bits(v.x), onepass_float_bits(v.y));
}
static inline onepass_float2 onepass_bits_float(onepass_uint2 v) {
  return onepass_float2(onepass_bits_float(v.x), onepass_bits_float(v.y));
}
static inline onepass_uint4 onepass_float_bits(onepass_float4 v) {
  return onepass_uint4(onepass_float_bits(v.x), onepass_float_bits(v.y), onepass_float_bits(v.z),
                       onepass_float_bits(v.w));
}
static inline onepass_float4 onepass_bits_float(onepass_uint4 v) {
  return onepass_float4(onepass_bits_float(v.x), onepass_bits_float(v.y), onepass_bits_float(v.z),
                        onepass_bits_float(v.w));
}
/// The value must not be 0.
static inline uint onepass_highest_bit(uint value) { return 31u - static_cast<uint>(__builtin_clz(value)); }
static inline onepass_uint2 onepass_highest_bit2(onepass_uint2 v) {
  return onepass_uint2(onepass_highest_bit(v.x), onepass_highest_bit(v.y));
}

// ---- Workgroups, which CUDA calls thread blocks, and subgroups, which it calls warps

#if defined(__CUDA__)
static inline uint onepass_invocation_index() { return __nvvm_read_ptx_sreg_tid_x(); }
static inline onepass_uint3 onepass_group_index() {
  return onepass_uint3(__nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(), __nvvm_read_ptx_sreg_ctaid_z());
}
static inline void onepass_group_barrier() { __syncthreads(); }
static inline void onepass_exchange_barrier() { __syncthreads(); }
static inline void onepass_release() { __nvvm_membar_gl(); }
static inline void onepass_acquire() { __nvvm_membar_gl(); }
static inline uint onepass_atomic_add_(volatile uint* at, uint value) {
  return __nvvm_atom_add_gen_i(reinterpret_cast<int*>(const_cast<uint*>(at)), static_cast<int>(value));
}
static inline uint onepass_atomic_max_(volatile uint* at, uint value) {
  return __nvvm_atom_max_gen_ui(const_cast<uint*>(at), value);
}
static inline uint onepass_atomic_exchange_(volatile uint* at, uint value) {
  return __nvvm_atom_xchg_gen_i(reinterpret_cast<int*>(const_cast<uint*>(at)), static_cast<int>(value));
}
static inline uint onepass_shuffle_word_(uint value, uint lane) {
  return __nvvm_shfl_sync_idx_i32(0xFFFFFFFFu, static_cast<int>(value), static_cast<int>(lane), 31);
}
static inline uint onepass_shuffle_word_xor_(uint value, uint mask) {
  return __nvvm_shfl_sync_bfly_i32(0xFFFFFFFFu, static_cast<int>(value), static_cast<int>(mask), 31);
}
static inline bool onepass_subgroup_all(bool value) { return __nvvm_vote_all_sync(0xFFFFFFFFu, value); }
#else
/// What a program on the host defines: the invocation that calls, and what it does together with the others of its
/// workgroup.
struct OnepassWorkgroup {
  static uint invocation();
  static onepass_uint3 group();
  static void barrier();
  static uint shuffle(uint value, uint lane);  ///< The value of an invocation of the subgroup of 32.
  static bool all(bool value);                 ///< Of the subgroup.
};
static inline uint onepass_invocation_index() { return OnepassWorkgroup::invocation(); }
static inline onepass_uint3 onepass_group_index() { return OnepassWorkgroup::group(); }
static inline void onepass_group_barrier() { OnepassWorkgroup::barrier(); }
static inline void onepass_exchange_barrier() { OnepassWorkgroup::barrier(); }
static inline void onepass_release() { __atomic_thread_fence(__ATOMIC_RELEASE); }
static inline void onepass_acquire() { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
static inline uint onepass_atomic_add_(volatile uint* at, uint value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
static inline uint onepass_atomic_max_(volatile uint* at, uint value) {
  uint before = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (before < value && !__atomic_compare_exchange_n(at, &before, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return before;
}
static inline uint onepass_atomic_exchange_(volatile uint* at, uint value) {
  return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
static inline uint onepass_shuffle_word_(uint value, uint lane) { return OnepassWorkgroup::shuffle(value, lane); }
static inline uint onepass_shuffle_word_xor_(uint value, uint mask) {
  return OnepassWorkgroup::shuffle(value, (OnepassWorkgroup::invocation() & 31u) ^ mask);
}
static inline bool onepass_subgroup_all(bool value) { return OnepassWorkgroup::all(value); }
#endif

#define onepass_atomic_add(target, value) onepass_atomic_add_(&(target), value)
#define onepass_atomic_max(target, value) onepass_atomic_max_(&(target), value)
#define onepass_atomic_add_before(target, value, before) before = onepass_atomic_add_(&(target), value)
#define onepass_atomic_load(target, value) value = onepass_atomic_add_(&(target), 0u)
#define onepass_atomic_store(target, value) onepass_atomic_exchange_(&(target), value)
#define onepass_shared_add(target, value) onepass_atomic_add_(&(target), value)
#define onepass_shared_add_before(target, value, before) before = onepass_atomic_add_(&(target), value)
#define onepass_shared_max(target, value) onepass_atomic_max_(&(target), value)

/// Consecutive indices are consecutive invocations of a subgroup.
static inline uint onepass_workgroup_index() { return onepass_invocation_index(); }
#if ONEPASS_SUBGROUP
static inline uint onepass_subgroup_size() { return 32u; }
/// Calls `exchange` for the word of a number, or of each component of a vector.
template <typename T, typename Exchange>
static inline T onepass_exchange_words_(T value, const Exchange& exchange) {
  static_assert(sizeof(T) == 4, "shuffles take whole words");
  return __builtin_bit_cast(T, exchange(__builtin_bit_cast(uint, value)));
}
template <typename T, int N, typename Exchange>
static inline OnepassVector<T, N> onepass_exchange_words_(OnepassVector<T, N> value, const Exchange& exchange) {
  for (int i = 0; i < N; ++i) value[i] = onepass_exchange_words_(value[i], exchange);
  return value;
}
template <typename T>
static inline T onepass_shuffle(T value, uint lane) {
  return onepass_exchange_words_(value, [lane](uint word) { return onepass_shuffle_word_(word, lane); });
}
template <typename T>
static inline T onepass_shuffle_xor(T value, uint mask) {
  return onepass_exchange_words_(value, [mask](uint word) { return onepass_shuffle_word_xor_(word, mask); });
}
#define onepass_quad_swap_x(value) onepass_shuffle_xor(value, 1u)
#define onepass_quad_swap_y(value) onepass_shuffle_xor(value, 2u)
/// Tells the compiler that a value is the same in all invocations of the subgroup.
#define onepass_uniform(value) onepass_shuffle(value, 0u)
#else
static inline uint onepass_subgroup_size() { return 256u; }  // a placeholder: no result depends on it
#endif

ONEPASS_DEVICE_END
#ifdef ONEPASS_KEEP_NAMES
#include "onepass/prelude_names.glsl"
#endif
#endif  // ONEPASS_PRELUDE_CUH_
