import type { ManagedGateway, Principal } from '@sluice/core'

/** The part of a gateway that the console uses. */
export interface ConsoleGateway extends Pick<ManagedGateway, 'matches' | 'models' | 'ready' | 'targets'> {
  /** Responds to a request in process. */
  readonly fetch: (
    request: Request,
    context?: {
      readonly mount?: string
      readonly onPrincipal?: (principal: Principal) => void
      readonly onlyTarget?: { readonly provider: string; readonly model: string }
    },
  ) => Promise<Response>
}
