# computes money in decimals and fractions
from decimal import Decimal, ROUND_HALF_EVEN, localcontext
from fractions import Fraction
assert Decimal("0.1") + Decimal("0.2") == Decimal("0.3")
assert Decimal("2.675").quantize(Decimal("0.01"), ROUND_HALF_EVEN) == Decimal("2.68")
with localcontext() as context:
    context.prec = 50
    assert str(Decimal(2).sqrt()).startswith("1.4142135623730950488016887242096980785696718753769")
assert sum([Fraction(1, 3)] * 3) == 1
set_result("works")
