import type { PostgresClient } from './client.ts'
import type { Schema } from './schema.ts'
import { postgresError } from './store-error.ts'

/** Runs queries in one schema. Rejects with `PostgresError`. */
export class Queries {
  readonly schema: Schema
  readonly #client: PostgresClient

  constructor(client: PostgresClient, schema: Schema) {
    this.#client = client
    this.schema = schema
  }

  async run(text: string, params?: string[]): Promise<readonly unknown[]> {
    try {
      const { rows } = await this.#client.query(text, params)
      return rows
    } catch (error) {
      throw postgresError(error, this.schema)
    }
  }
}
