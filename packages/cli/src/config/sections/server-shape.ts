import type { ServerConfig } from '../config.ts'
import { list, object } from '../shape/collections.ts'
import { either, just } from '../shape/either.ts'
import { flag, number, text } from '../shape/values.ts'
import { millisecondsFromNone } from './numbers.ts'

const origins = either(
  [
    { when: value => value === '*', shape: just('*') },
    {
      when: Array.isArray,
      shape: list(text("an origin such as 'https://app.example'"), { min: 1, of: 'origins' }),
    },
  ],
  "'*' or a list of origins, such as ['https://app.example']",
)

export const serverShape = object<ServerConfig>({
  host: {
    shape: text('an address to listen on'),
    description: 'Address to listen on. Default `127.0.0.1`: this machine only.',
  },
  port: {
    shape: number({ min: 0, max: 65_535, whole: true }, 'a whole number from 0 to 65535'),
    description: 'Port to listen on; 0 picks a free one. Default 8787.',
  },
  basePath: {
    shape: text("a path that begins with '/' and does not end with one, such as '/v1'", /^(\/[\w.~-]+)+$/),
    description: 'Base path of the API. Default `/v1`.',
  },
  cors: { shape: origins, description: 'Allowed CORS origins, or `*` for all. Default: none.' },
  allowedHosts: {
    shape: list(text("a host name without a port, such as 'llm.example'", /^[\w.-]+$/), { of: 'host names' }),
    description:
      'Allowed values of the `Host` header, in addition to loopback and its own address. Default: any; none with `sluice dev`.',
  },
  trustProxy: {
    shape: flag,
    description: 'Whether to trust `x-forwarded-*` headers of a proxy. Default: no.',
  },
  workers: {
    shape: either(
      [
        { when: value => value === 'auto', shape: just('auto') },
        {
          when: value => typeof value === 'number',
          shape: number({ min: 1, max: 1_024, whole: true }, 'a whole number from 1 to 1024'),
        },
      ],
      "a whole number from 1 to 1024, or 'auto'",
    ),
    description:
      'Number of processes that accept requests on the port, or `auto` for one per available core; `sluice dev` has one. Default 1.',
  },
  drainMs: {
    shape: millisecondsFromNone,
    description:
      'How long requests in flight may take to finish on shutdown, in milliseconds. Default 30000.',
  },
  shutdownDelayMs: {
    shape: millisecondsFromNone,
    description:
      'How long requests are still accepted on shutdown, in milliseconds, while `/readyz` is 503 already. Default 0.',
  },
})
