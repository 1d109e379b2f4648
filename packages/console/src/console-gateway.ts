import type { ManagedGateway } from '@sluice/core'

/** What the console asks of a gateway. */
export interface ConsoleGateway extends Pick<ManagedGateway, 'matches' | 'models' | 'ready' | 'targets'> {
  /** Answers a request in process. */
  readonly fetch: (request: Request) => Promise<Response>
}
