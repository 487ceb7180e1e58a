"""Equilibria in PyTorch: ``pip install .[torch]``.

    shape = flexline.torch.equilibrium(scene, ["cable.length"], ["cable.position.z @ 50 %"])
    length = torch.tensor([0.4], dtype=torch.float64, requires_grad=True)
    shape(length).square().sum().backward()
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from . import Scene
from .function import Equilibrium


class _Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, own):
        solution = own.solve(values.detach().cpu().numpy())
        ctx.own, ctx.solution = own, solution
        return torch.as_tensor(solution.values(own.outputs), dtype=values.dtype, device=values.device)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, cotangent):
        jacobian = ctx.solution.jacobian(ctx.own.outputs, ctx.own.inputs)
        jacobian = torch.as_tensor(jacobian, dtype=cotangent.dtype, device=cotangent.device)
        return cotangent @ jacobian, None


def equilibrium(
    scene: Scene, inputs: Sequence[str], outputs: Sequence[str], *, stable: bool = False
) -> Callable[[torch.Tensor], torch.Tensor]:
    """Outputs of a scene as a differentiable function of one tensor with the numbers of all inputs, in SI."""
    own = Equilibrium(scene, inputs, outputs, stable=stable)
    return lambda values: _Solve.apply(values, own)
