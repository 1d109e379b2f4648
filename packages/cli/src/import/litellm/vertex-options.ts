import type { Importing } from '../importing.ts'
import type { Part } from '../part.ts'
import { variable } from '../variables.ts'
import { settingsText } from './settings-text.ts'

/** A model on Vertex AI. Its token is the one thing that a file cannot hold for long. */
export function vertexOptions(given: Part, { reading, variables }: Importing): Record<string, unknown> {
  const project =
    settingsText(given.at('vertex_project'), variables, 'VERTEXAI_PROJECT') ?? variable('VERTEXAI_PROJECT')
  const location =
    settingsText(given.at('vertex_location'), variables, 'VERTEXAI_LOCATION') ?? variable('VERTEXAI_LOCATION')
  reading.note(
    'Vertex AI is asked with the access token in VERTEX_TOKEN, which lasts for an hour at most. In a TypeScript configuration vertex({ tokenProvider }) renews it.',
  )
  return { project, location, token: variable('VERTEX_TOKEN') }
}
