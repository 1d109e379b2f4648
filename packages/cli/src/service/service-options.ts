/** What a command line says of a service, in the place of its configuration. */
export interface ServiceOptions {
  readonly host?: string | undefined
  /** 0 takes a free one. */
  readonly port?: number | undefined
  /** Whether requests by foreign host names are refused, also where `server.allowedHosts` is not set. Default: no. */
  readonly checkHost?: boolean | undefined
}
