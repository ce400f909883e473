# draws a picture
# needs: PIL
import io
from PIL import Image, ImageDraw, ImageFont
image = Image.new("RGB", (200, 100), "white")
draw = ImageDraw.Draw(image)
draw.line([(0, 0), (199, 99)], fill="red", width=3)
draw.text((10, 10), "42", font=ImageFont.load_default(), fill="black")
out = io.BytesIO()
image.save(out, "PNG")
assert Image.open(io.BytesIO(out.getvalue())).size == (200, 100)
set_result("works")
