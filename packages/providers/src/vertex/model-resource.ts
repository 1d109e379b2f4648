import { noModel, pathStep } from '../model-path.ts'
import { isLocation } from './host.ts'

/** The resource of a model at Vertex AI, and its protocol. */
export interface ModelResource {
  /** The path between the base URL and the method: `projects/p/locations/l/publishers/google/models/m`. */
  readonly path: string
  readonly location: string
  /** The name of a Claude model; `undefined` for any other. */
  readonly claude: string | undefined
}

/**
 * A model's place at Vertex AI. `model` is a bare name (`gemini-2.5-pro`, `claude-opus-4-1@20250805`), one with
 * its publisher (`publishers/google/models/...`, `google/...`), an endpoint (`endpoints/123`), or a whole
 * resource name (`projects/...`), which may lie in another location. Throws `GatewayError` (400) for a name that
 * is none.
 */
export function modelResource(model: string, project: string, location: string): ModelResource {
  const steps = model.split('/')
  if (steps[0] === 'projects') return wholeName(steps)
  const [publisher = '', name = ''] = publisherAndName(steps)
  const inProject = steps[0] === 'endpoints' ? steps : ['publishers', publisher, 'models', name]
  return {
    path: pathOf(['projects', project, 'locations', location, ...inProject]),
    location,
    claude: publisher === 'anthropic' ? name : undefined,
  }
}

function wholeName(steps: readonly string[]): ModelResource {
  const [, , locations, location = '', collection, publisher] = steps
  if (locations !== 'locations' || !isLocation(location)) throw noModel()
  const claude = collection === 'publishers' && publisher === 'anthropic' ? steps.at(-1) : undefined
  return { path: pathOf(steps), location, claude }
}

function publisherAndName(steps: readonly string[]): readonly [publisher: string, name: string] {
  const [first = '', second = '', third, fourth = ''] = steps
  if (first === 'publishers' && third === 'models') return [second, rest(fourth, steps, 4)]
  if (steps.length === 1) return [/^claude/i.test(first) ? 'anthropic' : 'google', first]
  return [first === 'models' ? 'google' : first, rest(second, steps, 2)]
}

/** What is no step of a resource name belongs to the model's, where it can do no harm. */
function rest(name: string, steps: readonly string[], used: number): string {
  return [name, ...steps.slice(used)].join('/')
}

function pathOf(steps: readonly string[]): string {
  return steps.map(pathStep).join('/')
}
