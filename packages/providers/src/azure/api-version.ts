import { type CompatibilityOptions, openaiCompatibility } from '../chat-completions/compatibility-options.ts'

/** Which of Azure's two APIs is called, and in which version. */
export interface ApiVersion {
  /** `classic`: a path for each deployment. `v1`: one path, and the deployment is the model. */
  readonly api: 'classic' | 'v1'
  /** Sent as `api-version`; the v1 API needs none. */
  readonly version: string | undefined
}

/**
 * Tells by a version's name which API it belongs to: those of the classic API are dates, `2024-10-21` or
 * `2025-04-01-preview`; the v1 API knows `v1`, `preview` and `latest`. Throws `TypeError` for any other.
 */
export function apiVersionOf(version: string | undefined, owner: string): ApiVersion {
  if (version === undefined || /^(?:v1|preview|latest)$/.test(version)) return { api: 'v1', version }
  if (/^\d{4}-\d{2}-\d{2}(?:-preview)?$/.test(version)) return { api: 'classic', version }
  throw new TypeError(
    `${owner}: apiVersion has to be a date, such as '2024-10-21' or '2025-04-01-preview', for the classic API, or be left out for the v1 API.`,
  )
}

/** The first version of the classic API that takes `stream_options` (Azure, "API version lifecycle"). */
const streamOptionsSince = '2024-09-01-preview'

/**
 * How Azure differs from the protocol. Not every model and version there has the role `developer`, and those that
 * reason read `system` as the same.
 */
export function azureCompatibility({ api, version = '' }: ApiVersion): CompatibilityOptions {
  return {
    ...openaiCompatibility,
    developerRole: 'system',
    // Dates are in order as texts are.
    streamOptions: api === 'v1' || version >= streamOptionsSince.slice(0, 10),
  }
}
