"""What handlers written for TorchServe import as `ts`, written anew.

Each module stands where `ts` has it and offers what handlers use of it. `serving.handlers.aliases`
lets the name `ts` lead here in workers that run such handlers. Names and behaviour follow
TorchServe 0.12.0; nothing here imports torch before a handler does.
"""

__version__ = "0.12.0"
