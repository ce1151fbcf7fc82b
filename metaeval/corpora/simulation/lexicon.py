"""A news-like English lexicon of synonym sets for generating simulated news sentences.

Every constant is a text with one concept a line. The variants of a concept are separated by ' | ';
they mean the same and fit the same grammar slot. Irregular forms follow a slash:
singular/plural for nouns, base/past/participle for verbs. What has no slash is regular;
a multi-word noun inflects its last word, a multi-word verb its first.
"""

from __future__ import annotations

# Countable nouns for persons, singular and without article: subject or object of a sentence.
PEOPLE = """\
minister | cabinet member
head of state/heads of state | state leader
head of government/heads of government | government leader
president
prime minister | premier
mayor
governor
member of parliament/members of parliament | parliamentarian | lawmaker
senator
official | civil servant | public servant
diplomat
ambassador | head of mission/heads of mission
envoy | emissary
spokesperson/spokespersons | press officer
adviser | aide
expert | specialist
analyst | commentator
scientist | researcher
scholar | academic
professor | university teacher
teacher | schoolteacher
pupil | schoolchild/schoolchildren
student | undergraduate
head teacher | school principal
doctor | physician | medic
nurse
patient | sick person/sick people
surgeon
midwife/midwives
chemist | pharmacist
dentist
psychologist
vet | animal doctor
farmer | grower
shepherd | herdsman/herdsmen
fisherman/fishermen | fisher
hunter
forester | forest ranger
gardener
worker | labourer
employee | staff member | member of staff/members of staff
employer
boss | superior
manager | executive
chief executive | company head
director | department head
engineer
technician | technical worker
mechanic | car mechanic
architect | building designer
builder | construction worker
electrician
plumber
carpenter | joiner
miner | mine worker
factory worker | industrial worker
driver | motorist
lorry driver | truck driver | trucker
bus driver
taxi driver | cab driver
pilot
sailor | seaman/seamen | mariner
captain | skipper
traveller | voyager
passenger
tourist | holidaymaker
visitor | guest
cyclist | bike rider
pedestrian | person on foot/people on foot
passer-by/passers-by
commuter
soldier | serviceman/servicemen | trooper
army officer | military officer
general
commander | commanding officer
police officer | policeman/policemen | constable
detective | criminal investigator
guard | watchman/watchmen
bodyguard | personal guard
firefighter | fireman/firemen
rescuer | rescue worker
paramedic | ambulance worker
volunteer | unpaid helper
aid worker | relief worker
judge | magistrate
lawyer | attorney | solicitor
prosecutor | public prosecutor
witness | eyewitness
suspect | alleged offender
criminal | offender | lawbreaker
thief/thieves | robber
burglar
murderer | killer
prisoner | inmate | detainee
hostage | captive
victim | casualty
survivor
smuggler | trafficker
spy | secret agent
rebel | insurgent
militant | armed extremist
terrorist
protester | demonstrator
activist | campaigner
striker | striking worker
union leader | trade union leader
voter | elector
candidate | contender
opponent | adversary | rival
supporter | backer
ally | partner
critic | detractor
politician | political figure
party leader | party chief
opposition leader
deputy | second-in-command/seconds-in-command
successor
predecessor
citizen | national
resident | inhabitant
neighbour
villager | village dweller
immigrant | new arrival
refugee | displaced person/displaced people
asylum seeker
foreigner | foreign national
homeless person/homeless people | rough sleeper
tenant | renter
landlord | property owner
homeowner | house owner
customer | shopper
consumer
trader | merchant | dealer
shopkeeper | shop owner
seller | vendor
buyer | purchaser
entrepreneur | business owner
businessman/businessmen | business executive
investor | financier
shareholder | stockholder
banker
broker
economist | economics expert
accountant | bookkeeper
taxpayer
pensioner | retired person/retired people | retiree
child/children | kid | youngster
baby | infant
teenager | adolescent
young person/young people | youth
adult | grown-up
man/men
woman/women
parent
mother | mum
father | dad
husband
wife/wives
widow
relative | family member
friend | companion
colleague | co-worker | fellow worker
journalist | reporter
correspondent
editor
photographer
writer | author
poet
translator
interpreter
actor | performer
singer | vocalist
musician | instrumentalist
composer
conductor
dancer
painter
film director | film-maker
footballer | football player | soccer player
athlete | sportsperson/sportspeople
coach | trainer
referee | match official
goalkeeper | goalie
champion | titleholder
winner | victor
runner
swimmer
fan | follower
priest | clergyman/clergymen
bishop
monk
preacher
inspector | examiner
inventor
explorer
historian
astronaut | space traveller
programmer | software developer
hacker | computer intruder
cleaner
cook | chef
waiter
hotelier | hotel owner
baker
butcher
tailor
mediator | go-between/go-betweens | intermediary
negotiator
delegate | representative
chairperson/chairpersons | chair
treasurer
dictator | autocrat | despot
king
queen
monarch/monarchs | sovereign
"""

# Countable nouns for organisations and collectives, singular and without article: act like persons.
GROUPS = """\
government | administration
cabinet | council of ministers/councils of ministers
parliament | national assembly
ministry | government department
party | political party
ruling party | governing party
opposition party
coalition | governing alliance
alliance | league
union | trade union | labour union
employers' association | employers' federation
company | firm | business
corporation | large company | big firm
small business | small firm | small enterprise
bank | lender
central bank
insurer | insurance company
airline | air carrier
railway company | rail operator
shipping company | shipping line
carmaker | car manufacturer | motor manufacturer
manufacturer | producer
oil company | petroleum company
energy company | power company
mining company | mining firm
drug company | pharmaceutical company | drugmaker
technology company | tech firm
telecoms company | telephone company
publisher | publishing house
daily newspaper | daily paper
broadcaster | television station
radio station
news agency | news service
supermarket chain | grocery chain
retailer | retail chain
hotel chain | hotel group
supplier
contractor | building firm
start-up | young company
investment fund | investment company
pension fund | retirement fund
stock exchange | stock market
court | tribunal
supreme court | highest court
constitutional court
jury
police force
army | land force
navy | naval force
air force
regiment
militia | armed group
rebel group | rebel movement
terrorist group | terrorist organisation
gang | criminal gang
crime ring | criminal network
secret service | intelligence service | intelligence agency
fire brigade | fire service
rescue team | rescue crew
coastguard | coastguard service
customs authority | customs office
tax authority | tax office
electoral commission | election authority
regulator | supervisory authority | watchdog
anti-corruption agency | anti-corruption office
audit office | public auditor
human rights group | human rights organisation
aid agency | relief agency | relief organisation
charity | charitable organisation
environmental group | green group
consumer group | consumer association
pressure group | lobby group
foundation | charitable trust
think tank | policy institute
research institute | research centre
research team | team of scientists/teams of scientists
university
college
hospital
health authority | health board
medical association | doctors' association
teachers' union | union of teachers/unions of teachers
church
city council | municipal council
local authority | municipality
regional government | provincial government
committee | panel
parliamentary committee
task force | working group
delegation | mission
international organisation | international body
development bank
trade bloc | trading bloc
peacekeeping force | peace force
football club | soccer club
national team | national side
sports association | sports federation
orchestra
theatre company | theatre troupe
choir
film studio/film studios | film company
family | household
tribe | clan
crowd | throng
minority | minority group
youth organisation | youth movement
women's organisation | women's group
cooperative | cooperative society
farmers' union | farmers' association
residents' association | neighbourhood association
board | board of directors/boards of directors
works council | staff council
law firm | legal practice
consulting firm | consultancy
rating agency | credit rating agency
space agency
weather service | meteorological office
post office | postal service
"""

# Countable nouns for places, singular and without article: after a preposition, or as an object.
PLACES = """\
capital | capital city
city
town
village | hamlet
suburb | outlying district
district | neighbourhood
city centre | town centre
slum | shanty town
housing estate | housing development
street
motorway | highway
junction | intersection
square | public square
market | marketplace
shopping centre | shopping mall
shop | store
restaurant
cafe | coffee house
hotel
school
university
nursery | kindergarten
hospital
clinic | medical centre | health centre
pharmacy | chemist's shop
prison | jail
detention centre
police station
courthouse | court building
town hall | city hall
embassy | diplomatic mission
consulate
palace
castle | fortress
church
mosque
temple
monastery
cemetery | graveyard | burial ground
museum
gallery | art gallery
theatre | playhouse
cinema | film theatre
concert hall
library
park | public garden
zoo/zoos
stadium | arena
sports hall | gym
swimming pool
airport
railway station | train station
bus station | bus terminal
port | harbour
shipyard | dockyard
factory | plant | manufacturing plant
warehouse | depot | storehouse
office
head office | main office
power station | power plant
nuclear plant | nuclear power station
oil field
refinery | oil refinery
mine | pit
quarry
construction site | building site
farm
field
vineyard
forest | woodland
mountain
hill
valley
river
lake
coast | seaboard
beach
island | isle
desert
border | frontier
border crossing | frontier post
military base | army base
camp | encampment
refugee camp
region | area
province
country | nation
neighbouring country | neighbouring state
continent
war zone | combat zone
disaster area | disaster zone
nature reserve | conservation area
national park
laboratory | lab
rubbish tip | rubbish dump | landfill site
car park | parking lot
petrol station | filling station
polling station | polling place
seaside resort | seaside town
"""

# Countable nouns for concrete objects, singular and without article.
THINGS = """\
bridge
tunnel
letter | written message
envelope
postcard
parcel | package
book | volume
dictionary
textbook | schoolbook
magazine | periodical
newspaper | paper
leaflet | pamphlet | brochure
poster | placard
banner
flag
sign | notice
map
photograph | photo/photos | picture
painting
drawing | sketch
statue | sculpture
monument | memorial
file | dossier
document
passport
visa
identity card | id card
driving licence | driver's licence
birth certificate
ticket
receipt
bill | invoice
cheque
banknote
coin
credit card
computer
laptop | portable computer
keyboard
screen | monitor
printer
mobile phone | cell phone
telephone | phone
camera
video/videos | video recording
film | movie
tape
television set | tv set
radio set | radio/radios
microphone
loudspeaker
satellite
rocket
missile
bomb | explosive device
landmine | land mine
grenade | hand grenade
gun | firearm
rifle
pistol | handgun
bullet
knife/knives
weapon
tank
warship | naval vessel
submarine
fighter plane | combat aircraft/combat aircraft | fighter jet
drone | unmanned aircraft/unmanned aircraft
helicopter
aeroplane | plane | airplane
airliner | passenger plane
ship | vessel
boat
ferry | ferry boat
oil tanker
fishing boat | fishing vessel
lifeboat | rescue boat
container
car | motor car | automobile
electric car | electric vehicle
bus
lorry | truck
van
motorcycle | motorbike
bicycle | bike
tram | streetcar
train
locomotive | railway engine
railway carriage | railway coach
taxi/taxis | cab
ambulance
fire engine | fire truck
tractor
crane
bulldozer
wheel
tyre
engine | motor
battery
pipeline
oil rig | drilling platform
wind turbine
solar panel
power line | electricity line
cable
generator
reactor | nuclear reactor
machine
robot
tool | implement
hammer
spade | shovel
ladder
rope
key
lock
door
window
gate
wall
fence
roof
staircase | flight of stairs/flights of stairs
lift | elevator
house
apartment block | block of flats/blocks of flats
skyscraper | high-rise building
tower
building
tent
table
chair
desk
bed
cupboard
lamp | light
candle
mirror
carpet | rug
clock
watch | wristwatch
suitcase | travel bag
box | crate
bottle
cup
plate
pot
stove | cooker
oven
refrigerator | fridge
washing machine
coat | overcoat
shirt
dress
uniform
hat
shoe
boot
ring
necklace
helmet
face mask | protective mask
bandage | dressing
syringe
vaccine
tablet | pill
medicine | medication
wheelchair
microscope
telescope
ball
medal
trophy
toy | plaything
guitar
piano/pianos
violin | fiddle
drum
tree
flower | bloom
loaf/loaves
cake
apple
potato/potatoes
egg
cow
horse
sheep/sheep
pig
dog
cat
bird
wolf/wolves
bear
dam | barrage
reservoir
canal
dyke | flood barrier
lighthouse
railway line | rail line
road
traffic light
barricade | roadblock
ballot paper | voting slip
ballot box
questionnaire | survey form
manuscript
diary | journal
sample | specimen
skeleton
grave | tomb
coffin
"""

# Countable nouns for abstract things (announced, discussed, criticised), singular and without article.
MATTERS = """\
plan | project | scheme
agreement | accord | deal
treaty | pact
contract
ceasefire | truce
law | statute
draft law | bill
amendment
constitution
decree | edict
rule | regulation
ban | prohibition
permit | authorisation | licence
decision
ruling | court decision | verdict
resolution | motion
proposal | suggestion
offer
demand
request
appeal | plea
petition
complaint | grievance
lawsuit | legal action | court case
trial
charge | accusation | allegation
punishment | penalty
fine
prison term | prison sentence | jail term
pardon | amnesty
investigation | inquiry | probe
search | hunt
raid | swoop
arrest | detention
crime | offence
murder | killing
robbery | hold-up
burglary | break-in
kidnapping | abduction
fraud | swindle
scandal
bribe
conspiracy | plot
attack | assault
bombing | bomb attack
air strike | air raid
war | armed conflict
battle
invasion
occupation
siege
blockade
coup
uprising | revolt | rebellion
revolution
riot | disturbance
protest | demonstration
strike | walkout | work stoppage
boycott
campaign | drive
election campaign
election
referendum | popular vote
defeat
victory | win | triumph
result | outcome
consequence | repercussion
cause | reason
crisis/crises
recession | downturn | slump
state of emergency/states of emergency
problem | difficulty
issue | question
topic | subject | theme
debate | discussion
dispute | quarrel | row
disagreement | difference of opinion/differences of opinion
confrontation | clash
compromise
solution | remedy
negotiation
meeting | gathering
summit | summit meeting
conference | congress
speech | address
statement | declaration
announcement
report | account
study | research project
survey | opinion poll
finding | research result
discovery
breakthrough
theory
experiment | test
invention
innovation
idea | notion | concept
opinion | view | point of view/points of view
belief | conviction
principle
goal | aim | objective | target
strategy
policy | course of action/courses of action
measure | step
reform | overhaul
austerity programme | savings programme
aid programme | relief programme
budget | spending plan
tax | levy
tax increase | tax rise
tax cut | tax reduction
tariff | import duty | customs duty
subsidy
loan
debt
deficit | shortfall
surplus
price increase | price rise
price cut | price reduction
wage increase | pay rise
pay cut | wage cut
interest rate | lending rate
investment
merger | amalgamation
takeover | acquisition
sale
bankruptcy | insolvency
profit | gain
loss
dividend
order | instruction
job cut | redundancy | layoff
vacancy | job opening
job | post
appointment | nomination
resignation
dismissal
career
promise | pledge
obligation | duty
threat
warning | alert
risk | danger | hazard
fear | worry | concern
hope
doubt | misgiving
mistake | error
failure
success
advantage | benefit
disadvantage | drawback | downside
opportunity | chance
challenge
obstacle | hurdle | barrier
condition | requirement
exception
limit | cap
restriction | curb
sanction | punitive measure
deadline | time limit
delay | postponement
setback | reverse
cancellation
change | alteration
increase | rise
decrease | reduction | decline
improvement
trend | tendency
event | incident | occurrence
road accident | traffic accident
accident | mishap
plane crash | air crash
train accident | rail accident
explosion | blast
fire | blaze
flood
earthquake | quake
storm | tempest
hurricane
drought | dry spell
heatwave | hot spell
avalanche
landslide | landslip
volcanic eruption
famine
epidemic | outbreak of disease/outbreaks of disease
disease | illness
infection
injury | wound
operation | surgical procedure
treatment | therapy
power cut | power failure | blackout
oil spill | oil leak
rescue operation | rescue mission
relief effort | aid operation
evacuation
trip | journey
state visit | official visit
ceremony
funeral | burial
wedding | marriage ceremony
festival
celebration
anniversary
exhibition
concert
play | stage play
performance
novel
song
match | game
tournament | championship
race
prize | award
interview
press conference | news conference
rumour | piece of gossip/pieces of gossip
story | tale
secret
lie | falsehood | untruth
joke
message | communication
tie | link | connection
partnership
tradition | custom
right | entitlement
privilege
responsibility
task | assignment
system
method | procedure | technique
standard | norm
guideline
list
timetable | schedule
recommendation | piece of advice/pieces of advice
objection
invitation
apology
explanation
refusal | rejection
withdrawal | pull-out
deployment
reaction | response
mystery | puzzle
mandate
quota
inspection | check
forecast | prediction
estimate
trade agreement | trade deal | trade accord
peace plan | peace initiative
hunger strike
census
"""

# Mass nouns without plural, bare or after 'the'.
MASS = """\
information | intelligence
progress | headway
money | cash
funding | financing
wealth | affluence
poverty | hardship
unemployment | joblessness
inflation
growth | expansion
trade | commerce
tourism
agriculture | farming
shipping
advertising | publicity
employment | paid work
overtime
research | scientific work
education | schooling
training | instruction
knowledge | expertise
advice | guidance | counsel
help | assistance | aid
support | backing
criticism | disapproval
praise | acclaim
approval | consent
opposition | resistance
anger | rage | fury
fear | dread
grief | sorrow
joy | delight
confidence | trust | faith
patience | forbearance
courage | bravery
pride
hatred | hate
hostility | enmity
violence
crime | criminality | lawbreaking
corruption | bribery
terrorism
peace
security | safety
freedom | liberty
democracy | democratic rule
justice
equality | equal treatment
discrimination | unequal treatment
racism | racial hatred
power | authority
influence | sway
stability
unrest | turmoil | disorder
chaos | confusion
pressure
traffic
transport | transportation
electricity | electric power
energy
oil | petroleum
natural gas
petrol | gasoline
coal
fuel
water
food | nourishment
bread
rice
wheat
meat
milk
sugar
salt
wine
beer
timber | wood
steel
gold
copper
cement
rubbish | garbage | refuse
pollution | contamination
radiation
smoke
dust
snow
rain | rainfall
fog | mist
heat | hot weather
land
property | real estate
luggage | baggage
equipment | gear
furniture
software
ammunition
evidence | proof
attention | notice
blood
misfortune | bad luck
music
literature
legislation
immigration
housing | accommodation
secrecy | confidentiality
solidarity
"""

# Verbs with a person or group as subject and a thing or matter as object right after the verb.
TRANSITIVE = """\
announce | proclaim
publish | bring out/brought out/brought out
reveal | disclose
conceal | hide/hid/hidden | cover up
discuss | talk about | talk over
debate
criticise | find fault with/found fault with/found fault with
condemn | denounce
praise | commend | applaud
welcome
support | back
oppose | object to
reject | turn down
accept
approve | endorse
adopt
ratify
sign
propose | put forward/put forward/put forward
recommend
demand | call for | insist on
request | ask for
promise | pledge
offer
block | obstruct
prevent | avert | head off
ban/banned/banned | prohibit | outlaw | forbid/forbade/forbidden
allow | permit/permitted/permitted
postpone | put off/put off/put off | defer/deferred/deferred
delay | hold up/held up/held up
cancel/cancelled/cancelled | call off
drop/dropped/dropped | scrap/scrapped/scrapped
stop/stopped/stopped | halt
end | terminate | put an end to/put an end to/put an end to
suspend
resume | restart
begin/began/begun | start
launch | kick off
continue | carry on with | go on with/went on with/gone on with
complete | finish
carry out | execute | implement
plan/planned/planned
draft | draw up/drew up/drawn up
design | devise
build/built/built | construct
set up/set up/set up | establish | create
rebuild/rebuilt/rebuilt | reconstruct
repair | mend | fix
restore | renovate
maintain | keep up/kept up/kept up
improve | enhance
strengthen | reinforce
weaken | undermine
damage | harm
destroy | wreck
demolish | pull down | tear down/tore down/torn down | knock down
burn down/burned down/burned down
attack | assault
defend | stand up for/stood up for/stood up for
protect | safeguard | shield
guard | watch over
examine | inspect
investigate | look into | probe
study
analyse
check | go over/went over/gone over
verify | confirm
test | try out
measure
calculate | compute | work out
assess | evaluate | appraise
describe | depict | portray
explain | clarify
mention | refer to/referred to/referred to
emphasise | stress | underline | highlight
ignore | disregard
overlook | miss
notice | spot/spotted/spotted
observe | watch
find/found/found | discover | come across/came across/come across
lose/lost/lost
seek/sought/sought | look for | search for
obtain | acquire
receive | get/got/got
give up/gave up/given up | abandon | relinquish
keep/kept/kept | retain | hold on to/held on to/held on to
hand over | surrender
return | give back/gave back/given back
deliver
send/sent/sent | dispatch
introduce | bring in/brought in/brought in
import
export
buy/bought/bought | purchase
sell/sold/sold
auction | auction off
rent | lease
steal/stole/stolen | make off with/made off with/made off with
smuggle
seize | confiscate | impound
finance | fund | bankroll
pay for/paid for/paid for | meet the cost of/met the cost of/met the cost of
subsidise
donate | give away/gave away/given away
raise | increase
lower | reduce | cut/cut/cut | bring down/brought down/brought down
double
halve
extend | prolong
shorten
expand | enlarge
limit | restrict | curb
tighten
relax | loosen
simplify | streamline
accelerate | speed up/sped up/sped up
slow down
change | alter | modify
adapt | adjust
replace
modernise | update
revise | amend
review | reconsider | rethink/rethought/rethought
overturn | annul/annulled/annulled
abolish | do away with/did away with/done away with | get rid of/got rid of/got rid of
remove | take away/took away/taken away
withdraw/withdrew/withdrawn | take back/took back/taken back
win/won/won
celebrate
commemorate | mark
host
organise | arrange
join in | take part in/took part in/taken part in | participate in
attend
lead/led/led | head
manage | run/ran/run | direct
control/controlled/controlled
supervise | oversee/oversaw/overseen
monitor | keep an eye on/kept an eye on/kept an eye on
use | make use of/made use of/made use of
exploit | take advantage of/took advantage of/taken advantage of
waste | squander
need | require
want | wish for
prefer/preferred/preferred
expect | anticipate
predict | foresee/foresaw/foreseen
fear | dread
regret/regretted/regretted
enjoy
admire | look up to
question | cast doubt on/cast doubt on/cast doubt on
challenge | contest | dispute
deny
settle | resolve | sort out
tackle | address | deal with/dealt with/dealt with
face | confront
fight/fought/fought | combat
overcome/overcame/overcome | surmount
violate | breach | infringe
obey | comply with | abide by
respect | honour
enforce
impose
lift
negotiate
vote for | vote in favour of
vote against
choose/chose/chosen | pick | select | opt for
register | record
collect | gather
share
distribute | hand out | give out/gave out/given out
divide | split/split/split
link | connect
open
close | shut/shut/shut
produce | manufacture | make/made/made
repeat
copy | duplicate
translate
photograph | take pictures of/took pictures of/taken pictures of
display | exhibit
show/showed/shown
present | unveil
promote | advertise
remember | recall
forget/forgot/forgotten
understand/understood/understood | grasp
hear about/heard about/heard about | learn of
cause | bring about/brought about/brought about
trigger | spark | set off/set off/set off
threaten
endanger | jeopardise
hamper | hinder | impede
encourage | foster
influence | affect
mishandle | bungle | botch
underestimate | misjudge
exaggerate | overstate
downplay | play down
"""

# Verbs that take a that-clause.
REPORTING = """\
say/said/said | state | declare
announce | make known/made known/made known
report
explain | make clear/made clear/made clear
stress | emphasise | underline
add | go on to say/went on to say/gone on to say
claim | maintain | assert | contend
argue | reason
insist
admit/admitted/admitted | acknowledge | concede
confess
deny
confirm
reveal | disclose
warn | caution
fear | worry
hope
believe | think/thought/thought
know/knew/known
expect | anticipate
predict | forecast/forecast/forecast
estimate | calculate
assume | suppose | presume
suspect
doubt
hint | imply
indicate | signal/signalled/signalled
conclude | come to the conclusion/came to the conclusion/come to the conclusion
discover | find out/found out/found out
notice
note | remark | observe | comment
point out | draw attention to the fact/drew attention to the fact/drawn attention to the fact
realise | become aware/became aware/become aware
learn | hear/heard/heard
remember | recall
forget/forgot/forgotten
promise | pledge
swear/swore/sworn | vow
agree
decide | resolve
complain | grumble
boast | brag/bragged/bragged
joke
write/wrote/written
reply | answer | respond
repeat | reiterate | say again/said again/said again
show/showed/shown | demonstrate | prove
testify | give evidence/gave evidence/given evidence
allege
guess
imagine
feel/felt/felt | sense
regret/regretted/regretted
guarantee | give an assurance/gave an assurance/given an assurance
"""

# Verbs that need no object.
INTRANSITIVE = """\
arrive | turn up
leave/left/left | depart | set off/set off/set off
return | come back/came back/come back
stay | remain
wait
disappear | vanish
appear | emerge
fall/fell/fallen | drop/dropped/dropped
rise/rose/risen | climb | go up/went up/gone up
grow/grew/grown | expand
shrink/shrank/shrunk | contract
decline | diminish | dwindle
improve | get better/got better/got better
worsen | deteriorate | get worse/got worse/got worse
fail | come to nothing/came to nothing/come to nothing
succeed | meet with success/met with success/met with success
collapse | cave in
break down/broke down/broken down | stop working/stopped working/stopped working
explode | blow up/blew up/blown up
burn/burned/burned
crash
sink/sank/sunk | go under/went under/gone under
die | pass away
survive | stay alive
recover | bounce back
suffer
sleep/slept/slept
wake up/woke up/woken up
work
rest | take a break/took a break/taken a break
relax | unwind/unwound/unwound
begin/began/begun | start | get under way/got under way/got under way
end | finish | come to an end/came to an end/come to an end
continue | go on/went on/gone on
stop/stopped/stopped | cease
happen | occur/occurred/occurred | take place/took place/taken place
hesitate | waver
give in/gave in/given in | yield | back down
resign | step down/stepped down/stepped down | stand down/stood down/stood down
retire
protest | demonstrate
go on strike/went on strike/gone on strike | down tools | walk out
revolt | rebel/rebelled/rebelled | rise up/rose up/risen up
fight/fought/fought | do battle/did battle/done battle
negotiate | hold talks/held talks/held talks
argue | quarrel/quarrelled/quarrelled
meet/met/met | get together/got together/got together | come together/came together/come together
vote | go to the polls/went to the polls/gone to the polls
speak/spoke/spoken | talk
apologise | say sorry/said sorry/said sorry
laugh
cry | weep/wept/wept | shed tears/shed tears/shed tears
smile
travel/travelled/travelled | make a journey/made a journey/made a journey
move
walk | go on foot/went on foot/gone on foot
run/ran/run
fly/flew/flown | go by plane/went by plane/gone by plane
swim/swam/swum
escape | get away/got away/got away | break free/broke free/broken free
flee/fled/fled | run away/ran away/run away
surrender | capitulate | lay down arms/laid down arms/laid down arms
retreat | pull back | fall back/fell back/fallen back
advance | move forward
retaliate | strike back/struck back/struck back | hit back/hit back/hit back
intervene | step in/stepped in/stepped in
react | respond
cooperate | work together | join forces
compete
win/won/won | triumph | come out on top/came out on top/come out on top
lose/lost/lost | suffer defeat
celebrate
struggle
panic/panicked/panicked
fall ill/fell ill/fallen ill | become sick/became sick/become sick
disagree | differ
lie/lied/lied | tell lies/told lies/told lies
stagnate | stand still/stood still/stood still
expire | run out/ran out/run out
persist | hold out/held out/held out
listen | pay attention/paid attention/paid attention
pray | say a prayer/said a prayer/said a prayer
change | undergo a change/underwent a change/undergone a change
"""

# Adjectives that stand before a noun.
ADJECTIVES = """\
new | recent
old
young | youthful
large | big | sizeable
small | little
huge | enormous | gigantic | immense
tiny | minute
long | lengthy
short | brief
high
low
wide | broad
narrow
deep
heavy | weighty
fast | quick | rapid
slow | sluggish
sudden | abrupt
gradual | step-by-step
early
late | belated
final | last
first | initial
previous | earlier | former
following | subsequent
current | present
future | coming | forthcoming
daily | day-to-day
annual | yearly
weekly
temporary | provisional | interim
permanent | lasting | enduring
important | significant | major
unimportant | insignificant | minor
main | principal | chief
central | key | crucial
necessary | essential | indispensable
unnecessary | needless
urgent | pressing
serious | grave
severe | harsh
dangerous | hazardous | perilous
safe | secure
difficult | hard | tough
easy | simple
complicated | complex
clear | obvious | evident
unclear | vague
strange | odd | peculiar
unusual | uncommon
usual | customary
rare | infrequent
common | widespread
normal | ordinary
special | particular
different | differing
similar | comparable
exact | precise | accurate
wrong | incorrect
correct | right
true
false | untrue
possible | conceivable
impossible | unachievable
likely | probable
unlikely | improbable
unexpected | unforeseen
surprising | astonishing
good
excellent | outstanding | superb
bad | poor
terrible | dreadful | awful
successful
unsuccessful | failed
profitable | lucrative
expensive | costly
cheap | inexpensive
free
rich | wealthy | affluent
poverty-stricken | impoverished
strong | powerful
weak | feeble
stable | steady
fragile | delicate
violent | brutal
cruel | merciless | ruthless
peaceful | non-violent
friendly | amicable
hostile | unfriendly
polite | courteous
rude | impolite
honest | sincere
dishonest | deceitful
corrupt | venal
loyal | faithful
reliable | dependable | trustworthy
unreliable | untrustworthy
famous | well-known | renowned
unknown | obscure
popular | well-liked
controversial | disputed | contentious
legal | lawful
illegal | unlawful | illicit
official | formal
unofficial | informal
public
private
secret | covert | clandestine
confidential | classified
national | nationwide
international | cross-border
global | worldwide
local
regional
foreign | overseas
domestic
northern
southern
eastern
western
urban
rural
remote | far-off | distant
nearby | neighbouring
military
civilian
political
economic
financial | monetary
social | societal
cultural
religious
historic
scientific
medical
technical | technological
industrial
agricultural
environmental | ecological
nuclear | atomic
electric | electrical
modern | up-to-date | contemporary
outdated | old-fashioned | obsolete
ancient
traditional
conservative
liberal
radical | far-reaching | sweeping
extreme
moderate
strict | stringent | rigorous
flexible | adaptable
fair | just | equitable
unfair | unjust | inequitable
equal | identical
democratic
independent | autonomous
joint | shared
united | unified
divided | split
empty | vacant
full
crowded | packed | overcrowded
open
closed | shut
damaged
destroyed | ruined | wrecked
abandoned | deserted
broken | defective | faulty
injured | wounded | hurt
sick | ailing
healthy
hungry | starving
tired | weary | exhausted
angry | furious | irate
happy | glad | joyful
sad | sorrowful
worried | anxious | concerned
calm | composed
proud
brave | courageous
careful | cautious
careless | reckless
patient
ambitious
experienced | seasoned
inexperienced | unseasoned
skilled | qualified
clever | intelligent | bright
stupid | foolish
useful | helpful
useless | worthless
effective
ineffective
beautiful | lovely
ugly | unsightly
clean
dirty | filthy
dry
wet
cold
hot
warm
dark
heated | stormy
loud | noisy
quiet | silent
armed
unarmed | defenceless
masked | disguised
comprehensive | extensive | wide-ranging
detailed | in-depth
partial | incomplete
complete | entire | whole
additional | extra | further
sufficient | adequate
insufficient | inadequate
excessive | undue
numerous
anonymous | unnamed
alleged | supposed
proposed | suggested
planned | intended
promised | pledged
unprecedented | unparalleled
"""

# Adverbs of manner or attitude.
ADVERBS = """\
quickly | rapidly | swiftly
slowly | at a slow pace
suddenly | all of a sudden | abruptly
gradually | little by little | bit by bit
immediately | at once | straight away
unexpectedly | out of the blue
secretly | in secret | covertly
publicly | in public
openly | without concealment
quietly | without fuss
loudly | in a loud voice
carefully | with care
cautiously | with caution
carelessly | without due care
deliberately | on purpose | intentionally
accidentally | by accident | by chance
mistakenly | by mistake | in error
illegally | unlawfully | against the law
legally | lawfully | within the law
officially | formally
unofficially | informally
voluntarily | without being forced
reluctantly | unwillingly
gladly | willingly | readily
angrily | in anger
calmly | with composure
peacefully | without violence
forcibly | by force
successfully | with success
unsuccessfully | in vain | to no avail
easily | with ease | without difficulty
with difficulty | with great effort
together | jointly
alone | single-handedly
independently | without outside help
completely | entirely | fully | totally
partly | in part | partially
largely | mainly | for the most part
strongly | vigorously | forcefully
firmly | resolutely | with determination
regularly | at regular intervals
occasionally | now and then | from time to time
repeatedly | again and again | time and again
constantly | continually | all the time
temporarily | for the time being
permanently | for good
reportedly | by all accounts
allegedly | supposedly
clearly | obviously | evidently
surprisingly | to general surprise
fortunately | luckily
unfortunately | regrettably
probably | in all likelihood | most likely
perhaps | possibly
of course | naturally
actually | in reality
unanimously | with one voice
directly | without intermediaries
indirectly | in a roundabout way
personally | in person
in writing | in written form
orally | verbally | by word of mouth
by telephone | over the phone
in detail | at length
briefly | in brief
correctly | in the right way
wrongly | in the wrong way
fairly | in a fair manner
unfairly | unjustly
systematically | in a systematic way
enthusiastically | with enthusiasm
hesitantly | with hesitation
patiently | with patience
impatiently | with impatience
desperately | in desperation
bravely | courageously
proudly | with pride
politely | courteously
in earnest | seriously
half-heartedly | without conviction
thoroughly | in depth
efficiently
cheaply | at low cost
on credit
on time | punctually
ahead of time | ahead of schedule
behind schedule | later than planned
in advance | beforehand
hastily | in haste | in a hurry
unconditionally | without conditions
as planned | according to plan
as expected | predictably
anonymously | without giving a name
simultaneously | at the same time
"""

# Time phrases for the beginning or the end of a clause in the past.
TIMES = """\
yesterday
today
last week | in the past week
last month | in the past month
last year | in the past year
the day before yesterday | two days ago
a few days ago | some days ago
a week ago | seven days ago
two weeks ago | a fortnight ago
a month ago
several months ago | some months ago
a year ago | twelve months ago
ten years ago | a decade ago
many years ago | a long time ago | long ago
recently | not long ago | a short time ago
earlier today | earlier in the day
this morning
this week
this month
this year
last night | yesterday evening
yesterday morning
yesterday afternoon
at the weekend | over the weekend
at the beginning of the week | early in the week
in the middle of the week | in midweek
at the end of the week | late in the week
at the beginning of the month | early in the month
at the end of the month | late in the month
at the beginning of the year | at the start of the year | early in the year
at the end of the year | late in the year
in the spring | during the spring
in the summer | over the summer
in the autumn | during the autumn
in the winter | over the winter
in the morning | during the morning
in the afternoon | during the afternoon
in the evening | during the evening
during the night | overnight | in the course of the night
at dawn | at daybreak | at sunrise
at dusk | at nightfall
at noon | at midday
shortly before midnight | just before midnight
at lunchtime | over lunch
after the meeting | once the meeting was over
before the meeting | ahead of the meeting
during the meeting | in the course of the meeting
after the election | following the election | once the election was over
before the election | in the run-up to the election
on polling day | on election day
after the war | when the war was over
during the war | while the war was going on
before the war | before the war broke out
after the attack | in the wake of the attack
after the accident | following the accident
after the earthquake | following the earthquake
during the strike | while the strike lasted
during the visit | in the course of the visit
after the visit | once the visit was over
during the holidays | over the holidays
after months of talks | after months of negotiations
after a long debate | after lengthy discussions
after a short break | following a brief pause
within hours | in a matter of hours
within a few days | in a matter of days
within weeks | in a matter of weeks
in the first half of the year | in the first six months of the year
in the second half of the year | in the last six months of the year
in the first quarter | in the first three months of the year
in the past few days | over the last few days
in the past few weeks | over the last few weeks
in recent years | over the last few years
for the first time
for the second time | a second time
for weeks | for several weeks
for years | for many years
at first | initially | in the beginning
in the end | finally | eventually
later | later on
shortly afterwards | soon afterwards | a little later
the next day | the following day | the day after
the next week | the following week
the next year | the following year
the same day | on the same day
the previous day | the day before
at the time | at that time | back then
on the eve of the vote | the day before the vote
minutes later | a few minutes later
hours later | several hours later
years later | many years later
meanwhile | in the meantime
on several occasions | several times
every day | daily | each day
every week | each week | once a week
every year | annually | each year
in the early hours | in the small hours
at the height of the crisis | when the crisis was at its worst
at the last minute | at the last moment
by the end of the day | before the day was over
"""

# Place phrases for the end of a clause.
WHERES = """\
in the capital | in the capital city
near the border | close to the frontier
in the north of the country | in the northern part of the country
in the south of the country | in the southern part of the country
in the east of the country | in the eastern part of the country
in the west of the country | in the western part of the country
in the city centre | in the centre of the city
on the outskirts of the city | on the edge of the city
in the suburbs | in the outlying districts
in the countryside | in rural areas
in the mountains | in the mountainous regions
on the coast | by the sea
at the airport
at the railway station | at the train station
at the port | in the harbour
at sea | on the high seas
off the coast | not far from the coast
on the island
along the river | on the banks of the river
in the valley
in the forest | in the woods
in the desert
abroad | in foreign countries
in neighbouring countries | in neighbouring states
across the country | throughout the country | all over the country
around the world | all over the world | worldwide
in many places | in many locations
in some regions | in certain areas
in the region | in the area
in the province
in the disaster area | in the stricken region
in the war zone | in the combat area
on the front line | at the front
on both sides of the border | on either side of the frontier
across the border | on the other side of the border
in the refugee camp
in the village
in the town
in the main square | on the main square
in the streets | on the streets
on the motorway | on the highway
at a junction | at an intersection
on the bridge
in a tunnel
outside the parliament building | in front of the parliament building
in parliament | in the national assembly
in court | in the courtroom
in prison | in jail | behind bars
at the police station
at the head office | at the headquarters
in the office | at the office
in the factory | at the plant
at the power station | at the power plant
on the construction site | on the building site
in the mine | down the pit
on the farm
in the fields
in hospital | in the hospital
at the clinic | at the health centre
at the school
at the university | on campus
in the classroom
in the laboratory | in the lab
in the museum
in the theatre | at the theatre
at the stadium | in the stadium
in the shopping centre | in the shopping mall
at the market | in the marketplace
in a hotel | at a hotel
in a restaurant | at a restaurant
in a warehouse | in a storehouse
in an apartment block | in a block of flats
in a car park
on board the ship | aboard the ship
on board the plane | aboard the plane
on a train
at the embassy
at the town hall | at the city hall
in front of the cameras | on camera
on television | on tv
on the radio
on the internet | online
in the press | in the newspapers
at a press conference | at a news conference
at the summit | at the summit meeting
at the negotiating table
behind closed doors | in private session
at an undisclosed location | at a secret place
at a military base | at an army base
near the scene of the accident | close to the accident site
at the scene | on the spot
in space
in the polling stations | at the polling places
in a nearby town | in a town close by
a few kilometres away | several kilometres off
at the border crossing | at the frontier post
in the park
in the nature reserve | in the conservation area
"""

# Complete adjuncts of reason, purpose or concession.
REASONS = """\
to calm the public | in order to reassure people
because the costs were too high | since it would have cost too much
to save money | in order to cut costs
because of the bad weather | owing to the poor weather
due to the heavy snow | because there was so much snow
because of the heavy rain | as a result of the heavy rainfall
for safety reasons | on grounds of safety
for political reasons | on political grounds
for financial reasons | on financial grounds
for health reasons | on health grounds
for personal reasons | on personal grounds
for lack of evidence | because there was not enough evidence
for lack of money | because there was not enough money
for lack of time | because there was too little time
because of a technical fault | owing to a technical defect
because of a power cut | due to a power failure
because of the strike | on account of the strike
because of the crisis | as a consequence of the crisis
because of the war | on account of the war
because of the drought | owing to the lack of rain
because of a mistake | owing to an error
because of a misunderstanding | as the result of a misunderstanding
under pressure from the public | because of public pressure
under pressure from the opposition | because the opposition demanded it
at the request of the police | because the police had asked for it
at the request of the government | because the government had asked for it
on the advice of experts | because experts had recommended it
on the orders of a court | because a court had ordered it
in protest at the decision | to protest against the decision
in protest at low pay | to protest against poor wages
in response to the criticism | in reaction to the criticism
in response to the attack | in answer to the attack
in retaliation for the sanctions | to hit back at the sanctions
out of fear of reprisals | because reprisals were feared
out of solidarity | to show solidarity
out of anger | because of their rage
in the hope of a quick solution | hoping for a speedy solution
in the interest of peace | for the sake of peace
to avoid a war | in order to prevent an armed conflict
to end the conflict | in order to put an end to the conflict
to gain time | in order to win time
to create jobs | in order to provide employment
to attract tourists | in order to bring in more visitors
to attract investors | in order to win over investors
to help the victims | in order to assist those affected
to protect the environment | for the protection of the environment
to protect the children | for the protection of the children
to improve security | in order to increase security
to fight corruption | in order to combat corruption
to fight poverty | in order to combat poverty
to reduce unemployment | in order to bring down unemployment
to boost the economy | in order to stimulate the economy
to reduce the deficit | in order to bring the deficit down
to meet the deadline | in order to finish on time
to find a compromise | in order to reach a compromise
to win votes | in order to gain voters
to avoid a scandal | in order to prevent a scandal
to prevent further accidents | so that there would be no more accidents
to prevent further violence | so that there would be no more violence
to mark the anniversary | in order to celebrate the anniversary
to raise money for charity | in order to collect money for charity
to draw attention to the problem | in order to highlight the problem
to speed up the process | in order to accelerate the procedure
to keep the promise | in order to fulfil the pledge
despite the warnings | in spite of the warnings
despite the protests | in spite of the protests
despite strong opposition | in the face of strong resistance
despite the bad weather | although the weather was bad
despite the high costs | although the costs were high
despite the risks | although it was risky
despite the ban | although it was forbidden
despite the agreement | notwithstanding the accord
despite all difficulties | in spite of all the problems
despite initial doubts | although there had been doubts at first
regardless of the consequences | whatever the consequences
with the support of the opposition | with the backing of the opposition
against the will of the population | although the population did not want it
without the consent of parliament | although parliament had not agreed
without giving reasons | without any explanation
because the situation had changed | since the situation was no longer the same
because the situation was getting worse | as the situation was deteriorating
because the talks had failed | since the negotiations had broken down
because the demand had fallen | since there was less demand
because the danger had passed | since there was no longer any danger
"""

# Sentence openers, followed by a comma when used.
OPENERS = """\
in addition | moreover | what is more
however | nevertheless
for example | for instance
as a result | consequently | as a consequence
therefore | for this reason
in other words | put differently
in fact | as a matter of fact
on the other hand | by contrast
on the contrary
in general | generally speaking
above all | most importantly
in particular | particularly
first of all | to begin with | for a start
secondly | in the second place
last but not least | lastly
in short | in a word | to put it briefly
in any case | at any rate
at least
in this way | thus
similarly | likewise | in the same way
instead | rather
otherwise | if not
at the same time | simultaneously
meanwhile | in the meantime
of course | naturally
according to observers | in the view of observers
according to reports | as has been reported
according to official figures | as official figures show
to the surprise of many | to many people's surprise
as is well known | as everyone knows
as expected | as had been expected
in this context | in this connection
in principle | as a matter of principle
in practice | in reality
so far | until now | up to now
on closer inspection | when examined more closely
from an economic point of view | in economic terms
despite everything | in spite of everything
strictly speaking | to be precise
by the way | incidentally
all in all | on the whole
"""

# Words that join two complete clauses.
JOINERS = """\
and
but | yet
or
while | whereas
because | since
although | though | even though
after | once
before
when
as soon as | the moment
until | till
so | and so | with the result that
so that | in order that
if | provided that | on condition that
unless
even if
whenever | every time
given that | seeing that
now that
as long as
in case
just as | at the very moment when
and at the same time | and simultaneously
and therefore | and for this reason
and moreover | and in addition
and then | and afterwards
but nevertheless | but still
as if | as though
"""

# Quantity phrases before a plural noun.
QUANTITIES = """\
several | a number of
many | a great many | a large number of
a few | a handful of
few | not many | only a small number of
some
most | the majority of
all
two | a couple of
three
four
five
six | half a dozen
seven
eight
ten
twelve | a dozen
fifteen
about twenty | some twenty | around twenty
about thirty | some thirty
fifty
nearly a hundred | almost a hundred
more than a hundred | over a hundred
at least ten | no fewer than ten
at least three | no fewer than three
up to fifty | as many as fifty
hundreds of | several hundred
thousands of | several thousand
tens of thousands of
millions of | several million
dozens of | scores of
countless | innumerable
more and more | an increasing number of
fewer and fewer | a decreasing number of
various | all kinds of | all sorts of
too many | an excessive number of
enough | a sufficient number of
more than half of the | over half of the
two thirds of the
half of the | fifty per cent of the
a quarter of the | one fourth of the
a minority of | less than half of
a record number of | an unprecedented number of
hardly any | scarcely any
other | further
another three | three more
"""
