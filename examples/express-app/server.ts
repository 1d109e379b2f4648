import { createGateway, models } from '@sluice/core'
import { bearerToken } from '@sluice/core/keys'
import { toExpress } from '@sluice/express'
import { local } from '@sluice/providers'
import express from 'express'

interface User {
  readonly id: string
  readonly plan: 'free' | 'pro'
}

declare global {
  namespace Express {
    interface Request {
      user?: User
    }
  }
}

// The application as it was: users with session tokens, a body parser, routes.
const sessions = new Map<string, User>([
  ['session-of-ann', { id: 'ann', plan: 'pro' }],
  ['session-of-bob', { id: 'bob', plan: 'free' }],
])

const app = express()
app.use((req, _res, next) => {
  const user = sessions.get(req.headers.authorization?.replace(/^Bearer /i, '') ?? '')
  if (user !== undefined) req.user = user
  next()
})

// What is new: a user may call the models of their plan. Anthropic's clients send the token as `x-api-key`.
const plans = { free: ['fast'], pro: ['*'] }
const gateway = createGateway<express.Request>({
  authenticate: (request, req) => {
    const user = req?.user ?? sessions.get(bearerToken(request) ?? '')
    return user && { id: user.id, models: plans[user.plan] }
  },
  route: models({ fast: local()('fast'), best: local()('best') }),
})
app.use('/api/ai', toExpress(gateway)) // http://localhost:3000/api/ai/v1/chat/completions

// The application as it was. The body parser comes after: its limit of 100 KB is small for images.
app.use(express.json())
app.get('/me', (req, res) => {
  res.json(req.user ?? null)
})
app.post('/echo', (req, res) => {
  res.json(req.body)
})

app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
