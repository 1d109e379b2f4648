import {
  ConfigurationError,
  type ConfigurationIssue,
  configurationIssue,
  unknownOption,
} from '@sluice/core/adapter'
import { maxTimerMs } from './check-milliseconds.ts'
import {
  type FetchDependencies,
  type FetchedImage,
  type Guards,
  guardedFetch,
} from './image-fetcher/guarded-fetch.ts'
import { hostRule } from './image-fetcher/host-rules.ts'
import { isPublicAddress } from './image-fetcher/public-address.ts'
import { type RequestBudget, withinBudget } from './image-fetcher/request-budget.ts'
import { resolveAddresses } from './image-fetcher/resolve-addresses.ts'

/** Where images may be fetched from, and how much of them. */
export interface ImageFetcherOptions {
  /**
   * The host names that may be called, at least one: `images.example.com` is that name, `*.cdn.example` every name below
   * it, `*` any host with a public address. Default port 443; `images.example.com:8443` has another.
   */
  readonly hosts: readonly string[]
  /** Maximum size of an image in bytes. Default 10,485,760 (10 MiB). */
  readonly maxBytes?: number | undefined
  /** Maximum number of images per request. A request with more is rejected. Default 20. */
  readonly maxImages?: number | undefined
  /** Maximum total size of the images of a request in bytes. Default 20,971,520 (20 MiB). */
  readonly maxTotalBytes?: number | undefined
  /** Timeout per image, from the DNS lookup to its last byte, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number | undefined
}

const dependencies: FetchDependencies = { lookup: resolveAddresses, isPublic: isPublicAddress }

const known = ['hosts', 'maxBytes', 'maxImages', 'maxTotalBytes', 'timeoutMs']

/**
 * Creates a function that fetches images which callers send as links, for vendors that accept images as data only. Pass it as
 * the option `fetchImage` of `gemini`, `vertex` and `bedrock`.
 *
 * It calls the given hosts only, by https, at public addresses, and accepts JPEG, PNG, GIF and WebP. It follows no redirect.
 * Images that are fetched with the same signal count as one request. It rejects with an `Error` for your log for anything else,
 * and with the reason of the signal when that aborts.
 *
 * Throws `ConfigurationError` for invalid options.
 */
export function imageFetcher(
  options: ImageFetcherOptions,
): (url: string, signal: AbortSignal) => Promise<FetchedImage> {
  const guards = guardsOf(options)
  return withinBudget((url, signal) => guardedFetch(url, signal, guards, dependencies), guards)
}

function guardsOf(options: ImageFetcherOptions): Guards & RequestBudget {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalid([
      configurationIssue([], options, "an object of options, such as { hosts: ['images.example.com'] }"),
    ])
  }
  const issues: ConfigurationIssue[] = Object.entries(options)
    .filter(([name]) => !known.includes(name))
    .map(([name, value]) => unknownOption([name], value, known))
  const { hosts, maxBytes = 10_485_760, timeoutMs = 5_000 } = options
  const { maxImages = 20, maxTotalBytes = 20_971_520 } = options
  if (!Array.isArray(hosts) || hosts.length === 0) {
    issues.push(
      configurationIssue(
        ['hosts'],
        hosts,
        "a list of at least one host, such as ['images.example.com', '*.cdn.example']",
      ),
    )
  }
  const bounds = { maxBytes, maxImages, maxTotalBytes, timeoutMs }
  for (const [name, value] of Object.entries(bounds)) {
    const max = name === 'timeoutMs' ? maxTimerMs : Number.MAX_SAFE_INTEGER
    if (Number.isInteger(value) && value >= 1 && value <= max) continue
    issues.push(configurationIssue([name], value, `a whole number from 1 to ${max}`))
  }
  if (issues.length > 0) throw invalid(issues)
  return { hosts: hosts.map(hostRule), ...bounds }
}

function invalid(issues: readonly ConfigurationIssue[]): ConfigurationError {
  return new ConfigurationError('imageFetcher()', issues)
}
