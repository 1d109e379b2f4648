import type { Deployment } from './deployment.ts'

/** What LiteLLM may draw a deployment by. */
export type WeightKey = 'weight' | 'rpm' | 'tpm'

export const weightKeys: readonly WeightKey[] = ['weight', 'rpm', 'tpm']

/** Which of them it takes: the first that the first deployment has; `undefined` where all are alike. */
export function weightKey(deployments: readonly Deployment[]): WeightKey | undefined {
  return weightKeys.find(key => {
    const sum = deployments.reduce((all, deployment) => all + weightIn(deployment, key), 0)
    return deployments[0]?.[key].isThere === true && sum > 0
  })
}

/** Looks, and does not count as reading. */
export function weightIn(deployment: Deployment, key: WeightKey): number {
  const { value } = deployment[key]
  return typeof value === 'number' && value > 0 ? value : 0
}
