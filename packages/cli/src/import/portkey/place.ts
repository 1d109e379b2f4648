import type { RouteConfig } from '../../config/config.ts'
import type { Importing } from '../importing.ts'
import { parametersOf } from '../parameters.ts'
import type { Part } from '../part.ts'
import { eitherCase } from './either-case.ts'
import { vendorOptions } from './vendor-options.ts'
import { type PortkeyVendor, portkeyVendor, vendorBySlug } from './vendors.ts'

/** A target that is one vendor; `undefined` where it cannot be had, which is told. */
export function placeOf(target: Part, importing: Importing): RouteConfig | undefined {
  const overrides = eitherCase(target, 'override_params')
  const model = overrides.at('model').text()
  const inModel = /^@([^/]+)\/(.+)$/.exec(model ?? '')
  const found = vendorOf(target, inModel?.[1], importing)
  if (found === undefined) {
    target.lose(
      'Its vendor stands in an account with Portkey and not in the file.',
      'Write its provider, such as "openai", and import again.',
    )
    return undefined
  }
  const options = vendorOptions(found, target, importing)
  if (options === undefined) {
    target.lose(
      'What its vendor is reached by stands in an account with Portkey and not in the file.',
      'Write the resource, region or project into the target, and import again.',
    )
    return undefined
  }
  const name = importing.vendors.nameOf(options.type, options.options)
  const place = `${name}/${inModel?.[2] ?? model ?? options.model ?? '*'}`
  const parameters = parametersOf(overrides)
  return parameters === undefined ? place : { to: place, parameters }
}

function vendorOf(
  target: Part,
  inModel: string | undefined,
  { reading }: Importing,
): PortkeyVendor | undefined {
  const provider = target.at('provider').text()
  const slug = inModel ?? (provider?.startsWith('@') === true ? provider.slice(1) : undefined)
  const virtual = eitherCase(target, 'virtual_key').text() ?? slug
  const own = provider === undefined || provider === slug ? undefined : portkeyVendor(provider)
  const vendor = own ?? (virtual === undefined ? undefined : vendorBySlug(virtual))
  if (vendor === undefined) return undefined
  if (own === undefined)
    reading.note(
      `A vendor that Portkey keeps under a name of yours is known by how that name begins: ${vendor.type}. See whether it is right.`,
    )
  if (virtual !== undefined)
    reading.note(
      'Keys that Portkey keeps are not in the file: the variables of the providers have to be set.',
    )
  return vendor
}
