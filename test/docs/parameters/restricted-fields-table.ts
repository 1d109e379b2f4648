import type { RestrictedFields } from '@sluice/core/provider'
import { openaiCompatible } from '@sluice/providers'
import { respelledFields } from '../../../packages/providers/src/restricted-fields.ts'
import { table } from './markdown-table.ts'
import { compatibleVendors, ownVendors } from './vendors.ts'

const kinds = ['model', 'routing', 'paid', 'output', 'prompt', 'scheduling'] as const

/** The restricted fields of every provider, without other spellings of protocol fields. */
export function restrictedFieldsTable(): string {
  const other = openaiCompatible({ name: 'other', baseURL: 'https://llm.example/v1' })
  const vendors = [...ownVendors(), ...compatibleVendors(), { name: 'any other server', vendor: other }]
  const fields = new Map(
    vendors.map(({ name, vendor }) => [
      name.replace(/^\w+ on (?=`)/, ''),
      vendor.provider.restrictedFields ?? {},
    ]),
  )
  const rows = [...fields.keys()]
  return table(
    'Provider',
    kinds.map(kind => [`\`${kind}\``, rows.map(row => namesOf(fields.get(row)!, kind))]),
    rows,
  )
}

function namesOf(fields: RestrictedFields, kind: string): string {
  return Object.keys(fields)
    .filter(name => fields[name] === kind && !Object.hasOwn(respelledFields, name))
    .map(name => `\`${name}\``)
    .join(', ')
}
