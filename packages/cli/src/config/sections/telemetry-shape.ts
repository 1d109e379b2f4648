import type { TelemetryConfig } from '../config.ts'
import { list, object } from '../shape/collections.ts'
import { either } from '../shape/either.ts'
import type { Shape } from '../shape/shape.ts'
import { choice, flag, secret, text } from '../shape/values.ts'

const tags = list(text("a tag's name"), { max: 20, of: "tags' names" })

/** A label has letters, digits and `_` only: what else a tag's name has becomes `_`. */
const tagLabels: Shape = {
  schema: tags.schema,
  read: (value, location) => {
    const read = tags.read(value, location)
    const labels = Array.isArray(read) ? read.map(tag => String(tag).replaceAll(/[^a-zA-Z0-9_]/g, '_')) : []
    const twice = labels.findIndex((label, at) => labels.indexOf(label) !== at)
    if (twice !== -1)
      location.at(twice).add({ problem: `makes the label '${labels[twice]}', which another tag makes too` })
    return read
  },
}

export const telemetryShape = object<TelemetryConfig>({
  log: {
    shape: choice('auto', 'pretty', 'json', 'off'),
    description: 'Format of the request log. Default `auto`: pretty on a terminal, else JSON.',
  },
  metrics: {
    shape: either(
      [
        { when: value => typeof value === 'boolean' || typeof value === 'string', shape: flag },
        {
          when: value => typeof value === 'object' && value !== null,
          shape: object<{ token: string }>({
            token: { shape: secret('what collectors send as a bearer token'), required: true },
          }),
        },
      ],
      'true, false or { token }',
    ),
    description: 'Prometheus metrics at `/metrics`, public or with a bearer `token`. Default: on and public.',
  },
  openTelemetry: {
    shape: flag,
    description: 'OpenTelemetry spans and metrics, sent to `OTEL_EXPORTER_OTLP_ENDPOINT`. Default: off.',
  },
  tagLabels: {
    shape: tagLabels,
    description: 'Tags of callers that become labels of metrics. Default: none.',
  },
})
