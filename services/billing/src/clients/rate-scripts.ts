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

/** Numbers as text, to the last digit. */
const WHOLE = "local function whole(number) return string.format('%.0f', number) end";

const books = (clock: string) => `
local SPAN = ${WINDOW_SECONDS}
local key = KEYS[1]
local now = tonumber(${clock})
local head = redis.call('HMGET', key, 'g', 's', 'R', 'T', 'n')
local generation = tonumber(head[1])
local at, requests, tokens = tonumber(head[2]), tonumber(head[3]), tonumber(head[4])
local newest = tonumber(head[5])

${WHOLE}
local function field(prefix, second) return string.format('%s%d', prefix, second % SPAN) end

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

/** To be followed by nothing that counts: buckets are read once for all the answers of a run. */
const WAITS = `
-- What has left the window after 1, 2, … seconds.
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
`;

/**
 * What most calls need, in few words and with one write, because the embedded Redis compiles a script for every run, is
 * slow to pass arguments, and copies the whole hash to change it. ARGV: the first five of `takeScript`. Answers like it
 * when the books stand at this second and every call can be given its most; else nothing, and has done nothing.
 */
export const takeAllScript = (clock: string) => `
local key, now = KEYS[1], ${clock}
local bucket = now % ${WINDOW_SECONDS}
local r, t = 'r' .. bucket, 't' .. bucket
local book = redis.call('HMGET', key, 'g', 's', 'R', 'T', 'n', r, t)
if book[2] ~= now or tonumber(book[1]) < tonumber(ARGV[1]) then return {} end
local rpm, tpm = tonumber(ARGV[2]), tonumber(ARGV[3])
local requests, tokens = book[3] + ARGV[4], book[4] + ARGV[5]
if (rpm >= 0 and requests > rpm) or (tpm >= 0 and tokens > tpm) then return {} end
${WHOLE}
redis.call('HSET', key, 'R', whole(requests), 'T', whole(tokens), 'n', ARGV[5] == '0' and book[5] or now,
  r, whole((book[6] or 0) + ARGV[4]), t, whole((book[7] or 0) + ARGV[5]))
return { tonumber(book[1]), tonumber(now), tonumber(book[3]), tonumber(book[4]),
  math.max(0, book[5] + ${WINDOW_SECONDS} - now) }
`;

/**
 * ARGV: the least generation that will do; rpm and tpm, -1 for none; how many calls, and the most tokens
 * that they can use together; per call the most it can use and the least that it needs, -1 when it takes
 * none (`<most>,<least>` and a space). Answers nothing when the key is not known in that generation, else
 * generation, second, requests and tokens of the window before these calls, and the seconds until those
 * tokens are all gone. That is all when every call was given its most. If not, there follows for each what
 * it was given, or -1 (requests) or -2 (tokens are short), the seconds after which it fits, -1 for never, and
 * those after which the requests are all gone.
 */
export const takeScript = (clock: string) => `${books(clock)}
if not generation or generation < tonumber(ARGV[1]) then return {} end
advance()
local rpm, tpm = tonumber(ARGV[2]), tonumber(ARGV[3])
local answer = { generation, now, requests, tokens, math.max(0, newest + SPAN - now) }
local newRequests, newTokens = tonumber(ARGV[4]), tonumber(ARGV[5])
${WAITS}
local function take(most, least)
  local counted = tpm >= 0 and least >= 0
  local inRequests, inTokens = requests + newRequests, tokens + newTokens
  local overRequests = rpm >= 0 and inRequests + 1 > rpm
  local overTokens = counted and inTokens + least > tpm
  if overRequests or overTokens then
    local seconds = math.max(
      rpm >= 0 and wait('r', inRequests + 1 - rpm) or 0,
      counted and wait('t', inTokens + least - tpm) or 0)
    if rpm == 0 or (counted and least > tpm) then seconds = -1 end
    answer[#answer + 1] = overRequests and -1 or -2
    answer[#answer + 1] = seconds
    answer[#answer + 1] = rpm >= 0 and wait('r', inRequests) or 0
    return
  end
  local given = counted and math.min(most, tpm - inTokens) or most
  newRequests, newTokens = newRequests + 1, newTokens + given
  answer[#answer + 1] = given
end

if (rpm >= 0 and requests + newRequests > rpm) or (tpm >= 0 and tokens + newTokens > tpm) then
  newRequests, newTokens = 0, 0
  for most, least in string.gmatch(ARGV[6], '(%d+),(%S+)') do take(tonumber(most), tonumber(least)) end
end
count('r', now, newRequests)
count('t', now, newTokens)
requests, tokens = requests + newRequests, tokens + newTokens
if newTokens > 0 then newest = now end
save()
return answer
`;

const adjustment = (clock: string) => `${books(clock)}
if not generation then return {} end
advance()

local function giveBack(prefix, second, amount)
  if amount == 0 then return 0 end
  local less = math.min(amount, tonumber(redis.call('HGET', key, field(prefix, second)) or '0'))
  count(prefix, second, -less)
  return less
end

for i = 2, #ARGV, 4 do
  local second = tonumber(ARGV[i + 1])
  if tonumber(ARGV[i]) == generation and second <= now and second > now - SPAN then
    requests = requests - giveBack('r', second, tonumber(ARGV[i + 2]))
    tokens = tokens - giveBack('t', second, tonumber(ARGV[i + 3]))
  end
end
local more = tonumber(ARGV[1])
if more > 0 then
  count('t', now, more)
  tokens, newest = tokens + more, now
end
`;

/**
 * ARGV: tokens to count now; then per bucket its generation and second, and the requests and tokens to give
 * back there. What the window no longer holds, or what another generation took, is not given back.
 */
export const adjustScript = (clock: string) => `${adjustment(clock)}
save()
return {}
`;

/** Likewise, and answers the requests of the window and the seconds until they are all gone; its tokens too. */
export const giveBackScript = (clock: string) => `${adjustment(clock)}${WAITS}
local requestsReset, tokensReset = wait('r', requests), wait('t', tokens)
newest = now - SPAN + tokensReset
save()
return { requests, requestsReset, tokens, tokensReset }
`;

/**
 * ARGV: generation, then per second of the past its age, requests and tokens. Writes the key's books
 * unless they are there in this generation or a later one.
 */
export const seedScript = (clock: string) => `${books(clock)}
if generation and generation >= tonumber(ARGV[1]) then return {} end
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
return {}
`;
