import { requestExtensions } from '@sluice/core/provider'
import { table } from './markdown-table.ts'
import { compatibleVendors } from './vendors.ts'

/** Which provider accepts which request extensions. Providers that accept none are omitted. */
export function requestExtensionsTable(): string {
  const vendors = compatibleVendors().filter(({ vendor }) => vendor.provider.accepts !== undefined)
  return table(
    'Extension',
    vendors.map(({ name, vendor }) => [
      name,
      requestExtensions.map(extension => (vendor.provider.accepts?.includes(extension) ? 'accepted' : '')),
    ]),
    requestExtensions.map(extension => `\`${extension}\``),
  )
}
