import type { BudgetAlertOptions, ErrorRateOptions, LatencyOptions, WebhookOptions } from '@sluice/alerts'
import type { AlertsConfig } from '../config.ts'
import { list, object, record } from '../shape/collections.ts'
import { either, just } from '../shape/either.ts'
import type { Shape } from '../shape/shape.ts'
import { flag, number, secret, text } from '../shape/values.ts'
import { count, milliseconds, shareOfSome } from './numbers.ts'

function wholeMs(max: number): Shape {
  return number({ min: 1, max, whole: true }, `whole milliseconds from 1 to ${max}`)
}

const webhook = object<WebhookOptions>(
  {
    url: {
      // Shown nowhere: that of Slack has a token.
      shape: secret('an http: or https: URL', /^https?:\/\/\S+$/),
      description: 'Where alerts are posted as JSON with a `text`, as Slack takes them.',
      required: true,
    },
    secret: {
      shape: secret('at least 16 characters', /^.{16,}$/s),
      description: 'Signs alerts by HMAC-SHA256. Default: they are not signed.',
    },
    headers: {
      shape: record(text('printable ASCII', /^[\x20-\x7e]*$/), {
        of: 'texts by the name of a header',
        name: name => (/^[\w!#$%&'*+.^`|~-]+$/.test(name) ? undefined : 'the name of a header'),
      }),
      description: 'Further request headers.',
    },
    allowPrivate: {
      shape: flag,
      description: 'Whether addresses of this machine and of private networks may be called. Default: no.',
    },
    timeoutMs: { shape: wholeMs(60_000), description: 'Timeout of one attempt. Default 5000.' },
    backoffMs: { shape: wholeMs(60_000), description: 'Wait before the second attempt. Default 1000.' },
    deadlineMs: {
      shape: wholeMs(600_000),
      description: 'Time for all attempts of one alert. Default 60000.',
    },
  },
  '{ url }',
)

const budgets = either(
  [
    { when: value => value === false, shape: just(false) },
    {
      when: value => typeof value === 'object' && value !== null,
      shape: object<BudgetAlertOptions>({
        thresholds: {
          shape: list(shareOfSome, { min: 1, max: 20, of: 'shares above 0, at most 1' }),
          description: 'Shares of a budget. Default `[0.5, 0.8, 1]`.',
        },
        users: {
          shape: flag,
          description:
            'Whether budgets by `user` are alerts: callers choose the names of users. Default: no.',
        },
      }),
    },
  ],
  '{ thresholds }, or false',
)

const window = {
  windowMs: { shape: wholeMs(86_400_000), description: 'The window. Default 300000.' },
  minRequests: { shape: count, description: 'Of fewer requests in a window, there is no alert. Default 20.' },
} as const

export const alertsShape = object<AlertsConfig>(
  {
    webhooks: { shape: list(webhook, { of: '{ url }' }), description: 'Where alerts are posted.' },
    budgets: { shape: budgets, description: 'Thresholds of budgets. `false`: budgets are no alerts.' },
    errorRate: {
      shape: object<ErrorRateOptions>({
        above: {
          shape: number({ min: 0, max: 0.99 }, 'a number from 0 to 0.99'),
          description: 'The share of failed requests.',
          required: true,
        },
        ...window,
      }),
      description: 'Alert of failed requests. Default: none.',
    },
    latency: {
      shape: object<LatencyOptions>({
        p95Ms: {
          shape: milliseconds,
          description: 'The 95th percentile of the total time of requests.',
          required: true,
        },
        ...window,
      }),
      description: 'Alert of slow requests. Default: none.',
    },
    targets: {
      shape: flag,
      description: 'Whether a target with an open circuit breaker is an alert. Default: yes.',
    },
    recoveries: {
      shape: flag,
      description: 'Whether it is an alert, too, that something has recovered. Default: yes.',
    },
  },
  '{ webhooks }',
)
