import type { ProviderConfig, ProviderFunction, RouteConfig, TypedConfig } from './config.ts'

/** The names in requests: for a pattern, all names that match it. */
type Fitting<Name extends string> = Name extends `${infer Head}*${infer Tail}`
  ? `${Head}${string}${Tail}`
  : Name

/** The names that a route may use: a target (`provider/model`), or another model. */
type Named<Provider extends string, Model extends string> = `${Provider}/${string}` | Fitting<Model>

/**
 * A `TypedConfig` whose routes name only its own providers (`Provider`) and models (`Model`): the argument of
 * `defineConfig`.
 */
export interface DefinedConfig<Provider extends string, Model extends string>
  extends Omit<TypedConfig, 'providers' | 'models'> {
  readonly providers?: { readonly [Name in Provider]: ProviderConfig | ProviderFunction }
  readonly models: { readonly [Name in Model]: RouteConfig<Named<NoInfer<Provider>, NoInfer<Model>>> }
}

/**
 * Returns the configuration unchanged, with its type checked: `export default defineConfig({ ... })`. A route that names a
 * provider or a model that the configuration does not have is a type error.
 */
export function defineConfig<const Provider extends string, const Model extends string>(
  config: DefinedConfig<Provider, Model>,
): DefinedConfig<Provider, Model> {
  return config
}
