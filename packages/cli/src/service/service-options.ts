/** What a command says of a service, in the place of its configuration. */
export interface ServiceOptions {
  readonly host?: string | undefined
  readonly port?: number | undefined
  /** Opens the console to who has this key, where the configuration names none. */
  readonly adminKey?: string | undefined
}
