import type { LocalServer } from './discover.ts'
import type { EnvironmentVendor } from './environment-vendors.ts'
import { knownVendors } from './known-vendors.ts'

/** What of a start without a configuration is to be known. */
export interface Findings {
  readonly vendors: readonly EnvironmentVendor[]
  readonly servers: readonly LocalServer[]
  /** Whether servers were looked for. */
  readonly looked: boolean
  readonly ollamaFault: string | undefined
}

/** What was found, and how to get what was not, in sentences. */
export function devNotes({ vendors, servers, looked, ollamaFault }: Findings): readonly string[] {
  const missing = knownVendors.filter(({ name }) => !vendors.some(vendor => vendor.name === name))
  const notes = [
    ...vendors.map(({ name, title, keyVariable }) => `${title}: ${name}/... asks it, with ${keyVariable}.`),
    ...servers.map(serverNote),
    ...(ollamaFault === undefined ? [] : [ollamaFault]),
    ...(servers.length > 0 || !looked
      ? []
      : ['No Ollama, llama.cpp, LM Studio or vLLM was found on this machine.']),
  ]
  const some = missing.slice(0, 3).map(({ keyVariable }) => keyVariable)
  return [
    ...(notes.length === 0 ? [] : [notes.join('\n')]),
    `local() is a stand-in, not a language model. Where it answers another model's name, the response header\nx-sluice-adjustments says so, and the list of models has it as owned_by.${
      some.length === 0
        ? ''
        : `\nFor models of ${vendors.length === 0 ? 'a vendor' : 'further vendors'}, set ${some.join(', ')} or another vendor's key. npx sluice init writes a configuration.`
    }`,
  ]
}

function serverNote({ name, title, origin, models, unusable }: LocalServer): string {
  const count = models.length === 1 ? '1 model' : `${models.length} models`
  const left = unusable === 0 ? '' : ` ${unusable} more have names that no request could carry.`
  const how = models.length === 0 ? 'without a model yet' : `with ${count}: ${name}/... asks it`
  return `Found ${title} at ${origin.replace('http://', '')}, ${how}.${left}`
}
