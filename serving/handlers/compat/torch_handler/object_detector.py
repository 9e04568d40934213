"""ObjectDetector: what is where in a picture."""

from typing import Any

from torchvision import transforms

from serving.handlers.compat.torch_handler.vision_handler import VisionHandler
from serving.handlers.compat.utils.util import map_class_to_label

__all__ = ("ObjectDetector",)


class ObjectDetector(VisionHandler):
    """Answers the boxes (x1, y1, x2, y2, in pixels) with a score of at least `threshold`."""

    image_processing = transforms.Compose([transforms.ToTensor()])
    threshold = 0.5

    def postprocess(self, data: Any) -> Any:
        """Make a list of labelled boxes for each picture."""
        return [self._objects(found) for found in data]

    def _objects(self, found: Any) -> list[dict[str, Any]]:
        kept = found["scores"] >= self.threshold
        columns = [found[key][kept].tolist() for key in ("labels", "boxes", "scores")]
        objects = []
        for label, box, score in zip(*columns, strict=True):
            (described,) = map_class_to_label([[box]], self.mapping, [[label]])
            objects.append({**described, "score": score})
        return objects
