import type {
  ParameterName,
  ParameterRule,
  ParameterRules,
} from '../../../packages/providers/src/parameters/parameter-rules.ts'
import { table } from './markdown-table.ts'
import { samples } from './samples.ts'
import type { DocumentedVendor } from './vendors.ts'

/** Every parameter, in the order of the page. */
export const parameters = Object.keys(samples) as ParameterName[]

/** The table of what becomes of each parameter. Vendors that agree in everything share a column. */
export function parameterTable(vendors: readonly DocumentedVendor[]): string {
  return table(
    'Parameter',
    vendors.map(({ name, rules }) => [name, parameters.map(parameter => cell(parameter, rules))]),
    parameters.map(parameter => `\`${parameter}\``),
  )
}

function cell(parameter: ParameterName, rules: ParameterRules): string {
  const { handling, as, note }: ParameterRule = rules[parameter]
  const named = as === undefined ? handling : `${handling} as ${as}`
  return note === undefined ? named : `${named}; ${note}`
}
