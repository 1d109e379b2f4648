/** Where a gateway keeps its records. */
export type DatabaseSettings =
  | { readonly kind: 'sqlite'; readonly url: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly journal: string }

/** What a process of the gateway is started with. Times are in milliseconds. */
export interface GatewaySettings {
  readonly upstreamPort: number
  readonly redisPort: number
  readonly database: DatabaseSettings
  /** How many requests it takes at once. */
  readonly concurrent: number
  readonly drainMs: number
  readonly heartbeatMs: number
  readonly silentMs: number
  readonly leaseMs: number
}

/** What a process of the gateway tells. */
export type GatewayNotice =
  | { readonly tell: 'listening'; readonly port: number }
  | { readonly tell: 'store'; readonly store: string; readonly state: 'failing' | 'working' }
  /** An uncaught exception, an unhandled rejection, a warning, a fault inside. */
  | { readonly tell: 'alarm'; readonly what: string }
