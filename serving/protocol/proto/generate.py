"""Write `generated/` anew from the `*.proto` files: `make proto`. Needs grpcio-tools."""

import sys
from pathlib import Path

__all__ = ("PROTOS", "generate")

_HERE = Path(__file__).parent

PROTOS = tuple(sorted(path.name for path in _HERE.glob("*.proto")))
"""The files that are translated; none imports another."""

_DEFAULT_POOL = "_descriptor_pool.Default()"


def generate(target: Path) -> None:
    """Translate every `.proto` file into a Python module and its types in a folder.

    Raises:
        RuntimeError: when the compiler refuses a file.
    """
    from grpc_tools import protoc

    arguments = ["protoc", f"-I{_HERE}", f"--python_out={target}", f"--pyi_out={target}", *PROTOS]
    if protoc.main(arguments) != 0:
        msg = "the protocol compiler failed; what it said stands above"
        raise RuntimeError(msg)
    for name in PROTOS:
        _use_own_pool(target / f"{Path(name).stem}_pb2.py")


def _use_own_pool(module: Path) -> None:
    code = module.read_text()
    if code.count(_DEFAULT_POOL) != 1:
        msg = f"{module.name} is not as this script knows it: no single {_DEFAULT_POOL}"
        raise RuntimeError(msg)
    own = code.replace(_DEFAULT_POOL, "_own_pool.POOL").replace(
        "from google.protobuf import descriptor_pool as _descriptor_pool\n",
        "from serving.protocol.proto import pool as _own_pool\n",
    )
    module.write_text(own)


if __name__ == "__main__":
    generate(_HERE / "generated")
    sys.stdout.write(f"wrote {', '.join(PROTOS)} into {_HERE / 'generated'}\n")
