"""rlberry's LSVI-UCB on the fully observed chain: seconds of CPU of one episode after k others.

It plans over actions, not over sequences, so its task is the smaller one: 2 choices per state in
place of 1012. It goes through its whole history in every stage.
"""

import json
import sys
import time

import numpy as np

HORIZON = 100


def seconds_per_episode(name, k):
    import chains
    from rlberry_scool.agents.linear import LSVIUCBAgent
    from rlberry.envs.finite_mdp import FiniteMDP

    class OneHot:
        shape = (12,)

        def map(self, state, action):
            phi = np.zeros(12)
            phi[2 * state + action] = 1.0
            return phi

    model = chains.MODELS[name](1.0)
    env = FiniteMDP(model.r, model.P, initial_state_distribution=0)
    agent = LSVIUCBAgent(
        env, HORIZON, lambda env: OneHot(), gamma=0.99, bonus_scale_factor=50.0, reg_factor=0.01
    )
    agent.n_episodes = k + 1
    agent.reset()
    for _ in range(k):  # the history; no planning between these episodes
        agent.run_episode()
    clock = time.process_time()
    agent.run_episode()
    agent._run_lsvi(agent.bonus_scale_factor)
    return time.process_time() - clock


if __name__ == "__main__":
    print(json.dumps(seconds_per_episode(sys.argv[1], int(sys.argv[2]))))
