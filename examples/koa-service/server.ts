import { createGateway, models } from '@sluice/core'
import { bearerToken } from '@sluice/core/keys'
import { toKoa } from '@sluice/koa'
import { local } from '@sluice/providers'
import Koa from 'koa'

interface User {
  readonly id: string
  readonly models: readonly string[]
}

// The service as it was: users with session tokens, and a time for each request.
const sessions = new Map<string, User>([
  ['session-of-ann', { id: 'ann', models: ['*'] }],
  ['session-of-bob', { id: 'bob', models: ['fast'] }],
])

const app = new Koa()
app.use(async (ctx, next) => {
  const start = performance.now()
  await next()
  ctx.set('server-timing', `app;dur=${(performance.now() - start).toFixed(1)}`)
})
app.use((ctx, next) => {
  const user = sessions.get(ctx.get('authorization').replace(/^Bearer /i, ''))
  if (user !== undefined) ctx.state.user = user
  return next()
})

// What is new: a user of the service is the principal. Anthropic's clients send the token as `x-api-key`.
const gateway = createGateway<Koa.Context>({
  authenticate: (request, ctx): User | undefined =>
    ctx?.state.user ?? sessions.get(bearerToken(request) ?? ''),
  route: models({ fast: local()('fast'), best: local()('best') }),
})
app.use(toKoa(gateway)) // http://localhost:3000/v1/chat/completions

// The service as it was.
app.use(ctx => {
  ctx.body = { path: ctx.path, user: ctx.state.user?.id ?? null }
})

app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
