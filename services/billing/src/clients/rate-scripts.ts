/**
 * The rates of one API key are one hash: `g` generation, `s` the second up to which it is true, `R` and `T`
 * the requests and tokens of the window that ends there, `n` the last second that tokens were taken in,
 * and per second, modulo the window, `r<i>` and `t<i>`.
 *
 * The window is 61 buckets of a second, this one included: a call late in a second and one early in the
 * sixtieth after it are less than 60 s apart. Numbers are sent as text, because Lua prints large ones
 * rounded.
 */
export const WINDOW_SECONDS = 61;

/** Idle keys are forgotten, and known again from Postgres. */
const IDLE_SECONDS = 3_600;

/** Lua expression of Redis's own clock, in whole seconds. */
export const REDIS_CLOCK = `redis.call('TIME')[1]`;

const books = (clock: string) => `
local SPAN = ${WINDOW_SECONDS}
local key = KEYS[1]
local now = tonumber(${clock})
local head = redis.call('HMGET', key, 'g', 's', 'R', 'T', 'n')
local generation = tonumber(head[1])
local at, requests, tokens = tonumber(head[2]), tonumber(head[3]), tonumber(head[4])
local newest = tonumber(head[5])

local function whole(number) return string.format('%.0f', number) end
local function field(prefix, second) return string.format('%s%d', prefix, second % SPAN) end
local function bucket(prefix, second) return tonumber(redis.call('HGET', key, field(prefix, second)) or '0') end

-- Moves the window up to this second. A clock that was set back says nothing of when the calls it counts
-- were: they all count as of now.
local function advance()
  local stale = {}
  local from = math.max(at + 1, now - SPAN + 1)
  if now < at then from = now - SPAN + 1 end
  for second = from, now do
    stale[#stale + 1] = field('r', second)
    stale[#stale + 1] = field('t', second)
  end
  if #stale == 0 then return end
  if now > at then
    local counts = redis.call('HMGET', key, unpack(stale))
    for i = 1, #stale, 2 do
      requests = requests - tonumber(counts[i] or '0')
      tokens = tokens - tonumber(counts[i + 1] or '0')
    end
  end
  redis.call('HDEL', key, unpack(stale))
  if now < at then
    redis.call('HSET', key, field('r', now), whole(requests), field('t', now), whole(tokens))
    newest = now
  end
  at = now
end

local function count(prefix, second, amount)
  if amount ~= 0 then redis.call('HINCRBY', key, field(prefix, second), whole(amount)) end
end

local function save()
  redis.call('HSET', key, 'g', whole(generation), 's', whole(at), 'R', whole(requests), 'T', whole(tokens),
    'n', whole(newest))
  redis.call('EXPIRE', key, ${IDLE_SECONDS})
end
`;

/**
 * ARGV: the least generation that will do; rpm and tpm, -1 for none; per call whether it takes no tokens (1
 * or 0), the most tokens it can use and the least that it needs. Answers nothing when the key is not known
 * in that generation, else generation, second, and per call four figures: what it was given, requests and
 * tokens of the window with it, seconds until its tokens are all gone; or -1 (requests) or -2 (tokens are
 * short), the seconds after which it fits, -1 for never, and nothing twice.
 */
export const takeScript = (clock: string) => `${books(clock)}
if not generation or generation < tonumber(ARGV[1]) then return {} end
advance()
local rpm, tpm = tonumber(ARGV[2]), tonumber(ARGV[3])
local newRequests, newTokens = 0, 0

-- What has left the window after 1, 2, … seconds. Read once for all refusals of a batch.
local leaving = {}
local function read(prefix)
  local fields, sums, sum = {}, {}, 0
  for second = now - SPAN + 1, now do fields[#fields + 1] = field(prefix, second) end
  for i, counted in ipairs(redis.call('HMGET', key, unpack(fields))) do
    sum = sum + tonumber(counted or '0')
    sums[i] = sum
  end
  leaving[prefix] = sums
  return sums
end

-- What this batch has taken leaves last, and a call that could fit at all fits when all has left.
local function wait(prefix, excess)
  if excess <= 0 then return 0 end
  local sums = leaving[prefix] or read(prefix)
  for i = 1, SPAN - 1 do
    if sums[i] >= excess then return i end
  end
  return SPAN
end

local answer = { whole(generation), whole(now) }
local function say(a, b, c, d)
  for _, number in ipairs({ a, b, c, d }) do answer[#answer + 1] = whole(number) end
end

for i = 4, #ARGV, 3 do
  local free, most, least = ARGV[i] == '1', tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  if free then most, least = 0, 0 end
  local counted = tpm >= 0 and not free
  local overRequests = rpm >= 0 and requests + 1 > rpm
  local overTokens = counted and tokens + least > tpm
  if overRequests or overTokens then
    local seconds = math.max(
      rpm >= 0 and wait('r', requests + 1 - rpm) or 0,
      counted and wait('t', tokens + least - tpm) or 0)
    if rpm == 0 or (counted and least > tpm) then seconds = -1 end
    say(overRequests and -1 or -2, seconds, 0, 0)
  else
    local given = most
    if counted then given = math.min(most, tpm - tokens) end
    requests, newRequests = requests + 1, newRequests + 1
    tokens, newTokens = tokens + given, newTokens + given
    if given > 0 then newest = now end
    say(given, requests, tokens, math.max(0, newest + SPAN - now))
  end
end
count('r', now, newRequests)
count('t', now, newTokens)
save()
return answer
`;

/**
 * ARGV, per place: generation, second, requests and tokens to give back there, tokens to count now. What
 * the window no longer holds, or what another generation took, is not given back.
 */
export const adjustScript = (clock: string) => `${books(clock)}
if not generation then return 0 end
advance()
for i = 1, #ARGV, 5 do
  local second = tonumber(ARGV[i + 1])
  if tonumber(ARGV[i]) == generation and second <= now and second > now - SPAN then
    local lessRequests = math.min(tonumber(ARGV[i + 2]), bucket('r', second))
    local lessTokens = math.min(tonumber(ARGV[i + 3]), bucket('t', second))
    count('r', second, -lessRequests)
    count('t', second, -lessTokens)
    requests, tokens = requests - lessRequests, tokens - lessTokens
  end
  local more = tonumber(ARGV[i + 4])
  if more > 0 then
    count('t', now, more)
    tokens, newest = tokens + more, now
  end
end
save()
return 1
`;

/**
 * ARGV: generation, then per second of the past its age, requests and tokens. Writes the key's books
 * unless they are there in this generation or a later one.
 */
export const seedScript = (clock: string) => `${books(clock)}
if generation and generation >= tonumber(ARGV[1]) then return 0 end
redis.call('DEL', key)
generation, at, requests, tokens, newest = tonumber(ARGV[1]), now, 0, 0, 0
for i = 2, #ARGV, 3 do
  local second = now - tonumber(ARGV[i])
  if second > now - SPAN then
    count('r', second, tonumber(ARGV[i + 1]))
    count('t', second, tonumber(ARGV[i + 2]))
    requests, tokens = requests + tonumber(ARGV[i + 1]), tokens + tonumber(ARGV[i + 2])
    newest = math.max(newest, second)
  end
end
save()
return 1
`;
