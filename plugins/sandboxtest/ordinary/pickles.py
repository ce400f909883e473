# keeps objects with pickle, shelve, marshal and dataclasses
import copy, dataclasses, pickle, shelve


@dataclasses.dataclass
class Order:
    name: str
    lines: list


order = Order("a", [1, 2])
assert pickle.loads(pickle.dumps(order)) == copy.deepcopy(order) == order
with shelve.open("orders") as kept:
    kept["a"] = order
with shelve.open("orders") as kept:
    assert kept["a"] == order
set_result("works")
