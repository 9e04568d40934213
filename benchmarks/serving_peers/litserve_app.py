"""The compared models in LitServe: multipart in, batches in the worker, its fast queue."""

import sys
from typing import Any

import litserve  # type: ignore[import-not-found]
from common import load  # type: ignore[import-not-found]
from fastapi import Request  # type: ignore[import-not-found]


class Compared(litserve.LitAPI):  # type: ignore[misc]
    """Answers with what the model says of a file's bytes."""

    def setup(self, device: str) -> None:
        """Load the model that the environment names."""
        self._predict = load()

    def decode_request(self, request: Request) -> bytes:
        """Read the file."""
        content: bytes = request["content"].file.read()
        return content

    def predict(self, inputs: list[bytes]) -> list[Any]:
        """Run the model on a batch."""
        answers: list[Any] = self._predict(inputs)
        return answers

    def batch(self, inputs: list[bytes]) -> list[bytes]:
        """Hand them on as they are."""
        return list(inputs)

    def unbatch(self, output: list[Any]) -> list[Any]:
        """Hand them on as they are."""
        return output

    def encode_response(self, output: Any) -> Any:
        """Answer with JSON."""
        return output


if __name__ == "__main__":
    server = litserve.LitServer(
        Compared(max_batch_size=8, batch_timeout=0.005),
        accelerator="cpu",
        devices=1,
        workers_per_device=1,
        timeout=60,
        fast_queue=True,
    )
    server.run(
        host="127.0.0.1",
        port=int(sys.argv[1]),
        num_api_servers=1,
        log_level="warning",
        generate_client_file=False,
    )
