import type { Config, KeyConfig, RouteConfig } from '../../config/config.ts'
import { fits } from '../../config/routes/route-scope.ts'
import { type ImportContext, Variables, VendorTable, variable } from '../import-context.ts'
import { type ImportNode, ImportReader } from '../import-reader.ts'
import type { ImportResult } from '../import-result.ts'
import { type Group, groupsOf, strategyOf } from './groups.ts'
import { boundsOf, spendingOf } from './limits.ts'
import { reliabilityOf } from './reliability.ts'
import { aliasesOf, routesOf } from './routes.ts'
import { credentialValues, secretText, settingsOf, variablesIn } from './settings.ts'
import { cacheOf, stateOf } from './shared-state.ts'
import { telemetryOf } from './telemetry.ts'
import { unsupportedSettings } from './unsupported-settings.ts'
import { namedModel } from './vendors.ts'

/** The `config.yaml` of a LiteLLM proxy, parsed, as a configuration of Sluice. */
export function importLiteLLM(value: unknown): ImportResult {
  const reserved = new Set<string>()
  for (;;) {
    const imported = importWith(value, reserved)
    const ambiguous = ambiguousProviders(imported.config)
    if (ambiguous.length === 0) return imported
    for (const name of ambiguous) reserved.add(name)
  }
}

/** `reserved` are names that no provider may have. */
function importWith(value: unknown, reserved: ReadonlySet<string>): ImportResult {
  const reader = new ImportReader(value)
  const { root } = reader
  const [list, credentials] = [root.at('model_list'), root.at('credential_list')]
  const variables = new Variables([...variablesIn(root), ...variablesReadAnyway(list, credentials)])
  const context: ImportContext = { reader, variables, vendors: new VendorTable(reserved) }
  const settings = settingsOf(root)
  const groups = groupsOf(list, context, credentials)
  const config = configOf(root, groups, context, settings)
  return {
    config,
    unsupported: reader.unsupported(unsupportedSettings),
    notes: [...reader.notes],
    secrets: variables.extracted,
  }
}

function configOf(
  root: ImportNode,
  groups: ReadonlyMap<string, Group>,
  context: ImportContext,
  settings: ReturnType<typeof settingsOf>,
): Config {
  const { reader, vendors } = context
  const [general, library] = [root.at('general_settings'), root.at('litellm_settings')]
  const chosen = strategyOf(settings.at('routing_strategy'))
  const routes = routesOf(groups, chosen.strategy, settings)
  const models = { ...routes.models, ...aliasesOf(settings.at('model_group_alias'), routes.models, reader) }
  const { cache, redis } = cacheOf(library, context)
  const state = stateOf(root, redis, context)
  const bounds = [...groups.values()].flatMap(group => boundsOf(group, chosen, reader))
  const limits = [...spendingOf(library, reader), ...bounds]
  const prices = pricesOf(groups)
  const telemetry = telemetryOf(library, reader)
  const maxInFlight = general.at('global_max_parallel_requests').count(1)
  const megabytes = general.at('max_request_size_mb').count(1)
  return {
    providers: vendors.asConfig(),
    models,
    keys: keysOf(general, context),
    ...(limits.length === 0 ? {} : { limits }),
    ...(prices === undefined ? pricesForBudget(limits.some(({ kind }) => kind === 'budget')) : { prices }),
    ...(state === undefined ? {} : { state }),
    ...(cache === undefined ? {} : { cache }),
    ...(telemetry === undefined ? {} : { telemetry }),
    ...(library.at('drop_params').flag() === true ? { unsupportedParameters: 'drop' } : {}),
    ...(maxInFlight === undefined ? {} : { maxInFlight }),
    ...(megabytes === undefined ? {} : { requestLimits: requestLimitsOf(megabytes * mebibyte) }),
    ...reliabilityOf(settings, routes.maxTargets, reader),
  }
}

const mebibyte = 1_048_576

/** A body that may be sent has to be one that may be received, for which there are bounds by default. */
function requestLimitsOf(maxBytes: number): NonNullable<Config['requestLimits']> {
  return {
    maxBytes,
    ...(maxBytes > 64 * mebibyte && { maxUploadBytes: maxBytes }),
    ...(maxBytes > 512 * mebibyte && { maxTotalUploadBytes: maxBytes }),
  }
}

/** The variables that are read where a deployment names no key: a secret of the file must not take such a name. */
function variablesReadAnyway(list: ImportNode, credentials: ImportNode): string[] {
  return list.items().flatMap(entry => {
    const given = entry.at('litellm_params')
    const model = given.at('model').value
    const vendor = given.at('custom_llm_provider').value
    const shared = credentialValues(credentials, given.at('litellm_credential_name').value)
    const isKeyed = given.at('api_key').isThere || shared?.at('api_key').isThere === true
    if (typeof model !== 'string' || isKeyed) return []
    const key = namedModel(model, typeof vendor === 'string' ? vendor : undefined)?.known?.key
    return [
      'SLUICE_API_KEY',
      'VERTEX_TOKEN',
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
      ...(key === undefined ? [] : [key]),
    ]
  })
}

function pricesOf(groups: ReadonlyMap<string, Group>): Config['prices'] {
  const priced = [...groups.values()].flatMap(group =>
    group.deployments.flatMap(({ target, price }) =>
      price === undefined || target.includes('*') ? [] : [[target, price] as const],
    ),
  )
  return priced.length === 0 ? undefined : Object.fromEntries(priced)
}

function pricesForBudget(isNeeded: boolean): Pick<Config, 'prices'> {
  return isNeeded ? { prices: 'genai-prices' } : {}
}

/** Who may call. A service without any key cannot be had: where the file has none, one is asked for. */
function keysOf(general: ImportNode, { reader, variables }: ImportContext): readonly KeyConfig[] {
  const key = secretText(general.at('master_key'), variables, 'LITELLM_MASTER_KEY')
  if (key !== undefined) {
    reader.note(
      'The master key can only call models. Create keys with `sluice keys create`, or in the console, which needs console.adminKey.',
    )
    return [{ id: 'master', key }]
  }
  reader.note(
    'The file has no master_key, so LiteLLM accepts all callers. Here callers need the key in SLUICE_API_KEY.',
  )
  return [{ id: 'caller', key: variable('SLUICE_API_KEY') }]
}

/**
 * The providers of which a place, such as `openai/gpt-4o`, would be read as another model of the configuration: a model
 * may have that very name.
 */
function ambiguousProviders({ models }: Pick<Config, 'models'>): readonly string[] {
  const names = Object.keys(models).filter(name => !name.includes('*'))
  const found = Object.entries(models).flatMap(([self, route]) =>
    textsIn(route)
      .filter(
        text => text !== self && names.some(name => name !== self && (name === text || fits(text, name))),
      )
      .filter(text => text.includes('/'))
      .map(text => text.slice(0, text.indexOf('/'))),
  )
  return [...new Set(found)]
}

function textsIn(route: RouteConfig): readonly string[] {
  if (typeof route === 'string') return [route]
  if (typeof route !== 'object' || route === null) return []
  return Object.values(route).flatMap(inner => textsIn(inner as RouteConfig))
}
