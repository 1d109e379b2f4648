/**
 * A PostgreSQL client, such as a `Pool` of `pg`. Each query is independent, so a pool can run it on any connection.
 */
export interface PostgresClient {
  query(text: string, params?: string[]): Promise<{ readonly rows: readonly unknown[] }>
}
