import type { ManagedGateway } from '@sluice/core'

/** The part of a gateway that the console uses. */
export interface ConsoleGateway extends Pick<ManagedGateway, 'matches' | 'models' | 'ready' | 'targets'> {
  /** Responds to a request in process. */
  readonly fetch: (request: Request) => Promise<Response>
}
