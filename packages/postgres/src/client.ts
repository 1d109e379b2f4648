/**
 * What of a client of PostgreSQL is used: a `Pool` of `pg` has it, and so have other clients. Each call stands by
 * itself, so that a pool may run it on any connection.
 */
export interface PostgresClient {
  query(text: string, params?: string[]): Promise<{ readonly rows: readonly unknown[] }>
}
