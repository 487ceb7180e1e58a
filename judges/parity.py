"""What MuJoCo finds of a chain that Flexline wrote, beside what Flexline solved: a report of parity.

    python parity.py FILE.xml [--write] [--steps N] [--contact]

The file is loaded, its equilibrium found from the keyframe by Newton's method on qfrc_passive - qfrc_bias + qfrc_actuator = 0 with the
equalities as exact constraints (their multipliers are end forces), and nodes, reactions and energy are compared with the numerics of the
file. `--write` puts the report into the file, as a comment at its end; `--steps N` also takes N steps in time from the keyframe, with
contact, and tells how far nodes go; `--contact` leaves out the equilibrium without contact. Prints one JSON object. Needs mujoco (3.2 or newer, or 4) and numpy.
"""

import argparse
import json
import re

import mujoco
import numpy as np


class Chain:
    """A model with the sites of its equalities."""

    def __init__(self, path):
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.model)
        site = mujoco.mjtObj.mjOBJ_SITE
        of = self.model
        self.ties = [
            (of.eq_obj1id[k], of.eq_obj2id[k], of.eq_type[k] == mujoco.mjtEq.mjEQ_WELD)
            for k in range(of.neq)
            if of.eq_objtype[k] == site
        ]
        if len(self.ties) != of.neq:
            raise SystemExit("equalities between bodies instead of sites: not a file of Flexline's")

    def reset(self):
        mujoco.mj_resetDataKeyframe(self.model, self.data, 0)

    def rows(self):
        return sum(6 if weld else 3 for _, _, weld in self.ties)

    def evaluate(self, forces):
        """Unbalanced generalised forces with those of the equalities, and by how much these are missed."""
        model, data = self.model, self.data
        mujoco.mj_forward(model, data)
        out = data.qfrc_passive - data.qfrc_bias + data.qfrc_actuator
        gaps, jacobians = [], []
        for one, other, weld in self.ties:
            both = []
            for site in (one, other):
                place, turn = np.zeros((3, model.nv)), np.zeros((3, model.nv))
                mujoco.mj_jacSite(model, data, place, turn, site)
                both.append((place, turn))
            (p1, r1), (p2, r2) = both
            gaps.append(data.site_xpos[one] - data.site_xpos[other])
            jacobians.append(p1 - p2)
            if weld:
                turn = data.site_xmat[one].reshape(3, 3) @ data.site_xmat[other].reshape(3, 3).T
                gaps.append(logarithm(turn))
                jacobians.append(r1 - r2)
        if not gaps:
            return out, np.zeros(0), np.zeros((0, model.nv))
        jacobian = np.vstack(jacobians)
        return out + jacobian.T @ forces, np.concatenate(gaps), jacobian

    def solve(self):
        """Newton's method with differences for the stiffness. Gives the multipliers, the iterations and the last residual."""
        model, data = self.model, self.data
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.reset()
        nv, rows, step = model.nv, self.rows(), 1e-7
        forces = np.zeros(rows)
        out, gap, jacobian = self.evaluate(forces)
        if rows:
            forces = np.linalg.lstsq(jacobian.T, -out, rcond=None)[0]
            out, gap, jacobian = self.evaluate(forces)
        scale = max(np.abs(data.qfrc_passive).max(), np.abs(data.qfrc_bias).max(), 1e-12)
        for iteration in range(60):
            size = max(np.abs(out).max() / scale, np.abs(gap).max() if rows else 0.0)
            if size < 1e-9:
                return forces, iteration, size
            here = data.qpos.copy()
            stiffness = np.zeros((nv, nv))
            for k in range(nv):
                move = np.zeros(nv)
                move[k] = step
                sides = []
                for sign in (1.0, -1.0):
                    data.qpos[:] = here
                    mujoco.mj_integratePos(model, data.qpos, sign * move, 1.0)
                    sides.append(self.evaluate(forces)[0])
                stiffness[:, k] = (sides[0] - sides[1]) / (2 * step)
            data.qpos[:] = here
            matrix = np.zeros((nv + rows, nv + rows))
            matrix[:nv, :nv] = stiffness
            matrix[:nv, nv:] = jacobian.T
            matrix[nv:, :nv] = jacobian
            change = np.linalg.lstsq(matrix, -np.concatenate([out, gap]), rcond=1e-14)[0]
            share = min(1.0, 0.5 / max(np.abs(change[:nv]).max(), 1e-12))
            before = np.linalg.norm(np.concatenate([out / scale, gap]))
            while True:
                data.qpos[:] = here
                mujoco.mj_integratePos(model, data.qpos, share * change[:nv], 1.0)
                trial = forces + share * change[nv:]
                out, gap, jacobian = self.evaluate(trial)
                after = np.linalg.norm(np.concatenate([out / scale, gap]))
                if after < before or share < 1e-3:
                    break
                share *= 0.5
            forces = trial
        return forces, 60, size

    def reactions(self, forces):
        """Force and moment about its origin that holds every child of the world, by the balance of all that hangs on it."""
        model, data = self.model, self.data
        found, at = {}, 0
        loads = []
        for k in range(model.nu):
            site = model.actuator_trnid[k, 0]
            gear, turn = model.actuator_gear[k], np.eye(3)
            if model.actuator_trnid[k, 1] < 0:
                turn = data.site_xmat[site].reshape(3, 3)
            share = data.ctrl[k]
            loads.append((model.site_bodyid[site], data.site_xpos[site].copy(), share * turn @ gear[:3], share * turn @ gear[3:]))
        for one, other, weld in self.ties:
            force = forces[at : at + 3]
            moment = forces[at + 3 : at + 6] if weld else np.zeros(3)
            at += 6 if weld else 3
            loads.append((model.site_bodyid[one], data.site_xpos[one].copy(), force, moment))
            loads.append((model.site_bodyid[other], data.site_xpos[other].copy(), -force, -moment))
        for k in range(1, model.nbody):
            loads.append((k, data.xipos[k].copy(), model.body_mass[k] * model.opt.gravity, np.zeros(3)))
        for root in range(1, model.nbody):
            if model.body_parentid[root] != 0:
                continue
            total = np.zeros(6)
            for body, place, force, moment in loads:
                if model.body_rootid[body] == root:
                    total[:3] -= force
                    total[3:] -= moment + np.cross(place - data.xpos[root], force)
            found[model.body(root).name] = total
        return found


def logarithm(turn):
    """The rotation vector of a matrix near the identity."""
    axis = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    sine = np.linalg.norm(axis)
    if sine < 1e-9:
        return axis
    return axis / sine * np.arctan2(sine, 0.5 * (np.trace(turn) - 1))


def numerics(model, start):
    for k in range(model.nnumeric):
        name = model.numeric(k).name
        if name.startswith(start):
            yield name[len(start) :], np.array(model.numeric(k).data)


def away(chain):
    """How far nodes are from those that were solved at most, as a share of the length of their cable."""
    worst, where = 0.0, None
    lengths = {name: float(value[0]) for name, value in numerics(chain.model, "length:")}
    places = {}
    for name, some in numerics(chain.model, "nodes:"):
        # In pieces, in their order.
        places.setdefault(name.rsplit("|", 1)[0], []).append(some.reshape(-1, 3))
    for name, pieces in places.items():
        nodes = np.vstack(pieces)
        length = lengths[name]
        for k, node in enumerate(nodes):
            off = np.linalg.norm(chain.data.site(f"{name}:{k}").xpos - node) / length
            if not off <= worst:
                worst, where = float(off), f"{name}:{k}"
    return worst, where


def report(path, steps=0, contact=False):
    chain = Chain(path)
    chain.reset()
    mujoco.mj_forward(chain.model, chain.data)
    out = {"mujoco": mujoco.__version__, "bodies": chain.model.nbody, "degrees_of_freedom": chain.model.nv, "off_in_keyframe": away(chain)[0]}
    if not contact:
        out |= at_rest(chain)
    if steps:
        fresh = Chain(path)
        fresh.reset()
        for _ in range(steps):
            mujoco.mj_step(fresh.model, fresh.data)
        mujoco.mj_forward(fresh.model, fresh.data)
        out["steps"], out["off_after_steps"] = steps, away(fresh)[0]
    return out


def at_rest(chain):
    """The equilibrium without contact, compared."""
    forces, iterations, residual = chain.solve()
    off, where = away(chain)
    out = {"iterations": iterations, "residual": float(residual), "off": off, "off_at": where}
    found = chain.reactions(forces)
    wanted = dict(numerics(chain.model, "reaction:"))
    largest = max([np.linalg.norm(w[:3]) for w in wanted.values()], default=0.0)
    out["reactions_off"] = max(
        (float(np.linalg.norm(found[name][:3] - w[:3])) / max(largest, 1e-9) for name, w in wanted.items() if name in found), default=None
    )
    moments = max([np.linalg.norm(w[3:]) for w in wanted.values()], default=0.0)
    out["moments_off"] = max(
        (float(np.linalg.norm(found[name][3:] - w[3:])) / max(moments, 1e-9) for name, w in wanted.items() if name in found), default=None
    )
    chain.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    mujoco.mj_forward(chain.model, chain.data)
    springs = 0.0
    for k in range(chain.model.njnt):
        if chain.model.jnt_type[k] == mujoco.mjtJoint.mjJNT_HINGE:
            at = chain.model.jnt_qposadr[k]
            springs += 0.5 * joint_stiffness(chain.model, k) * (chain.data.qpos[at] - chain.model.qpos_spring[at]) ** 2
    energy = dict(numerics(chain.model, "energy")).get("", np.array([np.nan]))
    out["elastic_energy"], out["elastic_energy_solved"] = float(springs), float(energy[0])
    return out


def joint_stiffness(model, k):
    """4.0 has a polynomial of springs where 3 has a number."""
    return float(np.ravel(model.jnt_stiffness[k])[0])


def write(path, found):
    text = open(path, encoding="utf-8").read()
    version = found["mujoco"].split(".")[0]
    text = re.sub(rf"<!-- Parity with MuJoCo {version}\..*?-->\n", "", text, flags=re.S)
    note = json.dumps(found).replace("--", "- -")
    text = text.replace("</mujoco>", f"<!-- Parity with MuJoCo {found['mujoco']}: {note} -->\n</mujoco>")
    open(path, "w", encoding="utf-8").write(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--write", action="store_true", help="put the report into the file too")
    parser.add_argument("--steps", type=int, default=0, help="take this many steps in time as well")
    parser.add_argument("--contact", action="store_true", help="leave out the equilibrium without contact")
    args = parser.parse_args()
    own = report(args.file, args.steps, args.contact)
    if args.write:
        write(args.file, own)
    print(json.dumps(own))
