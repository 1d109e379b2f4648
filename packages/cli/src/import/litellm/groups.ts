import type { Importing } from '../importing.ts'
import type { Part } from '../part.ts'
import { type Deployment, deploymentOf } from './deployment.ts'
import type { Group } from './group.ts'

/** The deployments of `model_list`, by the name that callers use. */
export function groupsOf(list: Part, importing: Importing, credentials: Part): ReadonlyMap<string, Group> {
  const deployments = new Map<string, Deployment[]>()
  for (const entry of list.items()) {
    const name = entry.at('model_name').text()
    if (name === undefined) {
      entry.lose('It has no model_name.', 'Give it one, and import again.')
      continue
    }
    if (name.split('*').length > 2 || name === '__proto__') {
      entry.lose('No model can have this name.', 'Give it another one, with one * at most, and import again.')
      continue
    }
    const deployment = deploymentOf(entry, name, importing, credentials)
    if (deployment === undefined) continue
    deployments.set(name, [...(deployments.get(name) ?? []), deployment])
  }
  return new Map([...deployments].map(([name, own]) => [name, { name, deployments: own }]))
}
