import type { Reading } from './reading.ts'
import type { Variables } from './variables.ts'
import type { VendorTable } from './vendor-table.ts'

/** What the parts of an import share. */
export interface Importing {
  readonly reading: Reading
  readonly variables: Variables
  readonly vendors: VendorTable
}
