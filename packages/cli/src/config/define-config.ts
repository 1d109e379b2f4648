import type { ProviderConfig, ProviderFunction, RouteConfig, TypedConfig } from './config.ts'

/** The names that a caller may use: of a pattern, all that fit it. */
type Fitting<Name extends string> = Name extends `${infer Head}*${infer Tail}`
  ? `${Head}${string}${Tail}`
  : Name

/** What a route may name: a place of a provider, or a model. */
type Named<Provider extends string, Model extends string> = `${Provider}/${string}` | Fitting<Model>

/** A configuration in which every route leads to a provider or a model of it. */
export interface DefinedConfig<Provider extends string, Model extends string>
  extends Omit<TypedConfig, 'providers' | 'models'> {
  readonly providers?: { readonly [Name in Provider]: ProviderConfig | ProviderFunction }
  readonly models: { readonly [Name in Model]: RouteConfig<Named<NoInfer<Provider>, NoInfer<Model>>> }
}

/**
 * A configuration as it is, for editors and the compiler: `export default defineConfig({ ... })`. A route that names a
 * provider or a model that the configuration does not have is a type error.
 */
export function defineConfig<const Provider extends string, const Model extends string>(
  config: DefinedConfig<Provider, Model>,
): DefinedConfig<Provider, Model> {
  return config
}
