import type { ConsoleGateway } from './console-gateway.ts'
import type { ConsoleState } from './console-state.ts'

/** One request to the console's API, by somebody with the admin key. */
export interface ApiCall {
  readonly request: Request
  /** The `{id}` of the path; an empty text where there is none. */
  readonly id: string
  /** The path under which the host mounted the gateway; an empty text where it is at the root. */
  readonly mount: string
  readonly gateway: ConsoleGateway
  readonly state: ConsoleState
}
