import { configMembers } from './config-shape.ts'
import { openObject } from './shape/collections.ts'
import { Definitions, type JsonSchema } from './shape/json-schema.ts'

/** The JSON Schema (draft 2020-12) of a configuration as JSON or YAML: what `schema.json` holds. */
export function configSchema(): JsonSchema {
  const definitions = new Definitions()
  const schema = openObject(configMembers).schema(definitions)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'sluice.config',
    description: `A configuration of Sluice. Texts may name variables of the environment: \${NAME} or \${NAME:-text}.`,
    ...schema,
    $defs: Object.fromEntries(definitions.all),
  }
}
