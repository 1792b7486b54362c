"""Short vectors for compiled kernels: a numba type that is an LLVM vector, and the few operations kernels need.

Why: the inner loops multiply rows of about a hundred numbers and softmax over five heads. Left to the automatic
vectoriser these loops come out scalar or with needless shuffles (a head of 20 numbers is awkward). Written with
vectors of 16 they are exact in what they compute and fast on any CPU: LLVM splits a vector where registers are short.

The width of a vector is part of its type. Where it depends on the number of heads K, kernels carry a tuple ``lanes`` of
length K (see ``layout.py``), so that each number of heads gets its own machine code.

``item`` and ``put`` are plain access to a flat array; ``load16`` reads sixteen numbers of one from ``offset`` on,
``load(array, offset, lanes)`` the W numbers that an edge or a row has for its heads, ``width_of(lanes)``: K rounded up
to a power of two. ``fold(v, lanes)`` sums the groups of K in a vector of 16, ``spread`` repeats one group. Operators
+ - * act per position.
"""

# ruff: noqa: ARG001, ARG005, PLW0108 - numba reads these signatures by position and compiles the lambdas

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

from tgap.kernels.layout import WIDTH, lane_width

Index = int | np.integer  # in annotations


class VectorType(types.Type):
    """``width`` numbers of type ``dtype`` in one LLVM vector; the first ``heads`` of them matter."""

    def __init__(self, dtype: types.Type, width: int, heads: int) -> None:
        self.dtype = dtype
        self.width = width
        self.heads = heads
        super().__init__(name=f"Vector({dtype}, {width}, {heads})")


def _sixteen(dtype: types.Type) -> VectorType:
    return VectorType(dtype, WIDTH, WIDTH)


def _of_heads(dtype: types.Type, lanes: types.BaseTuple) -> VectorType:
    return VectorType(dtype, lane_width(len(lanes)), len(lanes))


def width_of(lanes: tuple[int, ...]) -> int:
    """W, known when a kernel is compiled."""
    return lane_width(len(lanes))


@overload(width_of)
def _width_of(lanes):
    width = lane_width(len(lanes))
    return lambda lanes: width


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: VectorType) -> None:
        element = dmm.lookup(fe_type.dtype).get_value_type()
        super().__init__(dmm, fe_type, ir.VectorType(element, fe_type.width))


class Vector:
    """Stands for the vector types in annotations; simd.pyi says what the type checker knows of it."""


def _vector_of(context, vector: types.Type) -> ir.Type:
    """The LLVM type of a vector or of a number."""
    return context.get_value_type(vector)


def _splat(builder, value, kind: ir.VectorType):
    """All positions equal to one scalar."""
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    return builder.shuffle_vector(first, ir.Constant(kind, ir.Undefined), mask)


def _constant(kind: ir.VectorType, value: float) -> ir.Constant:
    return ir.Constant(kind, [value] * kind.count)


def _address(context, builder, array_type, array, offset, offset_type):
    """Pointer to element ``offset`` of a flat array; bounds are the caller's business."""
    data = context.make_array(array_type)(context, builder, array).data
    index = context.cast(builder, offset, offset_type, types.intp)
    element = context.get_data_type(array_type.dtype)
    return builder.gep(builder.bitcast(data, ir.PointerType(element)), [index])


def _load_code(vector: VectorType):
    def codegen(context, builder, signature, args):
        array_type, offset_type = signature.args[0], signature.args[1]
        pointer = _address(context, builder, array_type, args[0], args[1], offset_type)
        source = builder.bitcast(pointer, ir.PointerType(_vector_of(context, vector)))
        return builder.load(source, align=array_type.dtype.bitwidth // 8)

    return codegen


@intrinsic
def item(typingctx, array, index):
    """``array[index]`` of a flat array for an index that is not negative.

    Numba's own form first asks whether the index counts from the end, which costs more than the access itself.
    """

    def codegen(context, builder, signature, args):
        return builder.load(_address(context, builder, signature.args[0], args[0], args[1], signature.args[1]))

    return array.dtype(array, index), codegen


@intrinsic
def put(typingctx, array, index, value):
    """``array[index] = value``, see ``item``."""

    def codegen(context, builder, signature, args):
        builder.store(args[2], _address(context, builder, signature.args[0], args[0], args[1], signature.args[1]))
        return context.get_dummy_value()

    return types.void(array, index, array.dtype), codegen


@intrinsic
def load16(typingctx, array, offset):
    """Sixteen numbers of a flat array from ``offset`` on."""
    vector = _sixteen(array.dtype)
    return vector(array, offset), _load_code(vector)


@intrinsic
def load(typingctx, array, offset, lanes):
    """The numbers of all heads from a flat array, W of them."""
    vector = _of_heads(array.dtype, lanes)
    return vector(array, offset, lanes), _load_code(vector)


@intrinsic
def store(typingctx, array, offset, vector):
    """Write all of ``vector`` into a flat array from ``offset`` on."""

    def codegen(context, builder, signature, args):
        array_type, offset_type = signature.args[0], signature.args[1]
        pointer = _address(context, builder, array_type, args[0], args[1], offset_type)
        target = builder.bitcast(pointer, ir.PointerType(_vector_of(context, vector)))
        builder.store(args[2], target, align=array_type.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, offset, vector), codegen


@intrinsic
def zero16(typingctx, array):
    """Sixteen zeros of the type of ``array``."""
    vector = _sixteen(array.dtype)

    def codegen(context, builder, signature, args):
        return _constant(_vector_of(context, vector), 0.0)

    return vector(array), codegen


@intrinsic
def fill(typingctx, array, value, lanes):
    """``value`` for every head, of the type of ``array``."""
    vector = _of_heads(array.dtype, lanes)

    def codegen(context, builder, signature, args):
        scalar = context.cast(builder, args[1], signature.args[1], array.dtype)
        return _splat(builder, scalar, _vector_of(context, vector))

    return vector(array, value, lanes), codegen


def _elementwise(emit):
    """Intrinsic of two equal vectors, of a vector and a number, or of two equal numbers."""

    @intrinsic
    def function(typingctx, left, right):
        vector = left if isinstance(left, VectorType) else right

        def codegen(context, builder, signature, args):
            kind = _vector_of(context, vector)
            values = [
                value if given == vector else _splat(builder, context.cast(builder, value, given, vector.dtype), kind)
                for value, given in zip(args, signature.args, strict=True)
            ]
            return emit(builder, *values)

        return vector(left, right), codegen

    return function


_FAST = ("contract", "nsz", "arcp")
_add = _elementwise(lambda builder, a, b: builder.fadd(a, b, flags=_FAST))
_subtract = _elementwise(lambda builder, a, b: builder.fsub(a, b, flags=_FAST))
_multiply = _elementwise(lambda builder, a, b: builder.fmul(a, b, flags=_FAST))
_divide = _elementwise(lambda builder, a, b: builder.fdiv(a, b, flags=_FAST))
maximum = _elementwise(lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b))
"""Larger of the two at each position, or of two numbers."""


def _is_vector_pair(left, right) -> bool:
    return isinstance(left, VectorType) or isinstance(right, VectorType)


@overload(operator.add)
def _operator_add(left, right):
    if _is_vector_pair(left, right):
        return lambda left, right: _add(left, right)
    return None


@overload(operator.sub)
def _operator_sub(left, right):
    if _is_vector_pair(left, right):
        return lambda left, right: _subtract(left, right)
    return None


@overload(operator.mul)
def _operator_mul(left, right):
    if _is_vector_pair(left, right):
        return lambda left, right: _multiply(left, right)
    return None


@overload(operator.truediv)
def _operator_div(left, right):
    if _is_vector_pair(left, right):
        return lambda left, right: _divide(left, right)
    return None


@intrinsic
def slope_of(typingctx, value, slope):
    """Derivative of LeakyReLU where its value or argument is ``value``: 1 above zero, ``slope`` elsewhere."""

    def codegen(context, builder, signature, args):
        kind = _vector_of(context, value)
        if not isinstance(value, VectorType):
            below = context.cast(builder, args[1], signature.args[1], value)
            positive = builder.fcmp_ordered(">", args[0], ir.Constant(kind, 0.0))
            return builder.select(positive, ir.Constant(kind, 1.0), below)
        below = _splat(builder, context.cast(builder, args[1], signature.args[1], value.dtype), kind)
        positive = builder.fcmp_ordered(">", args[0], _constant(kind, 0.0))
        return builder.select(positive, _constant(kind, 1.0), below)

    return value(value, slope), codegen


@intrinsic
def fold(typingctx, vector, lanes):
    """Sum the groups of K in a vector of 16: the dot products of all heads, and zeros in the lanes left over."""
    result = _of_heads(vector.dtype, lanes)
    heads = result.heads

    def codegen(context, builder, signature, args):
        zeros = _constant(args[0].type, 0.0)
        index = ir.VectorType(ir.IntType(32), result.width)
        groups = []
        for first in range(0, WIDTH - heads + 1, heads):
            places = [first + lane if lane < heads else WIDTH for lane in range(result.width)]  # WIDTH: a zero
            groups.append(builder.shuffle_vector(args[0], zeros, ir.Constant(index, places)))
        while len(groups) > 1:  # pairs of neighbours: a short chain of additions
            pairs = [builder.fadd(*groups[i : i + 2], flags=_FAST) for i in range(0, len(groups) - 1, 2)]
            groups = pairs + groups[2 * len(pairs) :]
        return groups[0]

    return result(vector, lanes), codegen


@intrinsic
def spread(typingctx, vector):
    """A vector of one number per head repeated to 16 positions, as rows in lane layout need it."""
    result = _sixteen(vector.dtype)

    def codegen(context, builder, signature, args):
        mask = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [i % vector.heads for i in range(WIDTH)])
        return builder.shuffle_vector(args[0], ir.Constant(args[0].type, ir.Undefined), mask)

    return result(vector), codegen


@intrinsic
def total(typingctx, vector):
    """Sum of all positions as one number (halving, so the order is fixed)."""

    def codegen(context, builder, signature, args):
        parts = [builder.extract_element(args[0], ir.Constant(ir.IntType(32), i)) for i in range(vector.width)]
        while len(parts) > 1:
            half = len(parts) // 2
            parts = [builder.fadd(parts[i], parts[i + half]) for i in range(half)]
        return parts[0]

    return vector.dtype(vector), codegen


@intrinsic
def any_greater(typingctx, left, right):
    """True if some position of ``left`` is greater than that of ``right``."""

    def codegen(context, builder, signature, args):
        bits = builder.fcmp_ordered(">", args[0], args[1])
        packed = builder.bitcast(bits, ir.IntType(left.width))
        return builder.icmp_unsigned("!=", packed, ir.Constant(ir.IntType(left.width), 0))

    return types.boolean(left, right), codegen


def _call(builder, name: str, kind: ir.VectorType, *args):
    """Call an LLVM vector intrinsic such as floor or fma."""
    letter = "f32" if isinstance(kind.element, ir.FloatType) else "f64"
    signature = ir.FunctionType(kind, [kind] * len(args))
    function = builder.module.declare_intrinsic(f"llvm.{name}.v{kind.count}{letter}", fnty=signature)
    return builder.call(function, args)


@intrinsic
def exp(typingctx, vector):
    """Exponential of each position; arguments below -87 give 0 in float32, so no denormal number is ever made."""

    def codegen(context, builder, signature, args):
        kind = _vector_of(context, vector)
        if vector.dtype == types.float64:
            return _call(builder, "exp", kind, args[0])
        # exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln(2)/2; Taylor to r^7 is exact to float32 rounding.
        low, high = _constant(kind, -87.0), _constant(kind, 88.0)
        x = args[0]
        vanishes = builder.fcmp_ordered("<", x, low)
        x = builder.select(builder.fcmp_unordered(">", x, low), x, low)
        x = builder.select(builder.fcmp_unordered("<", x, high), x, high)
        n = _call(builder, "rint", kind, builder.fmul(x, _constant(kind, 1.0 / math.log(2.0))))
        log2_high = float(np.float32(0.693359375))
        r = _call(builder, "fma", kind, n, _constant(kind, -log2_high), x)
        r = _call(builder, "fma", kind, n, _constant(kind, log2_high - math.log(2.0)), r)
        value = _constant(kind, 1.0 / math.factorial(7))
        for power in range(6, -1, -1):
            value = _call(builder, "fma", kind, value, r, _constant(kind, 1.0 / math.factorial(power)))
        integers = ir.VectorType(ir.IntType(32), kind.count)
        exponent = builder.add(builder.fptosi(n, integers), ir.Constant(integers, [127] * kind.count))
        exponent = builder.shl(exponent, ir.Constant(integers, [23] * kind.count))
        return builder.select(vanishes, _constant(kind, 0.0), builder.fmul(value, builder.bitcast(exponent, kind)))

    return vector(vector), codegen
