# builds, reads and searches XML
import io
import xml.etree.ElementTree as ET
from xml.dom import minidom
from xml.sax.saxutils import escape
root = ET.Element("orders")
for n in range(3):
    ET.SubElement(root, "order", id=str(n)).text = "ž<%d>" % n
text = ET.tostring(root, encoding="unicode")
assert [o.text for o in ET.fromstring(text).findall("order[@id='1']")] == ["ž<1>"]
assert sum(1 for _ in ET.iterparse(io.BytesIO(text.encode()))) == 4
assert minidom.parseString(text).documentElement.tagName == "orders" and escape("<") == "&lt;"
set_result("works")
