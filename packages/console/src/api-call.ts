import type { ConsoleGateway } from './console-gateway.ts'
import type { ConsoleState } from './console-state.ts'

/** One request to the console's API, by somebody with the admin key. */
export interface ApiCall {
  readonly request: Request
  /** What stands in the path in the place of `{id}`; an empty text where nothing does. */
  readonly id: string
  /** The path under which the host mounted the gateway; an empty text where it is at the root. */
  readonly mount: string
  readonly gateway: ConsoleGateway
  readonly state: ConsoleState
}
