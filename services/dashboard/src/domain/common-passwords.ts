/**
 * The passwords of at least eight characters that lead the public frequency lists of leaked credentials (NCSC's
 * "PwnedPasswordsTop100k" of 2019, NordPass's yearly lists up to 2024), in lower case. NIST SP 800-63B, section
 * 5.1.1.2, asks verifiers to refuse commonly used passwords.
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `
  00000000 0123456789 0987654321 11111111 1111111111 112233445566 11223344 12121212 123123123 123123123a 1234512345
  12341234 12344321 12345678 123456781 12345678910 1234567890 123456789a 123456789q 12345678a 12345678q 123456aa
  123456abc 1234abcd 1234qwer 123654789 123698745 12qwaszx 13131313 135792468 147258369 14725836 147852369 159357159
  159753456 1a2b3c4d 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz1qaz 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 20102010 21212121
  22222222 23232323 31415926 33333333 44444444 55555555 66666666 69696969 741852963 77777777 7777777777 789456123
  87654321 88888888 963852741 98765432 987654321 9876543210 99999999 999999999 a1234567 a12345678 a123456789
  a1b2c3d4 a1s2d3f4 aa123456 aa12345678 aaaaaaaa abc12345 abc123456 abcd1234 abcdef12 abcdefgh abcdefghi abcdefg1
  access14 adidas123 admin123 admin1234 admin12345 admin@123 administrator alejandro alexander alexandra andromeda
  angel123 anthony1 apple123 arsenal1 asd12345 asdasd123 asdasdasd asdf1234 asdfasdf asdfghjk asdfghjkl asdfjkl;
  asdqwe123 azertyuiop babygirl babygirl1 baseball baseball1 basketball batman123 beautiful benjamin billabong
  blahblah bluebird brandon1 brooklyn bullshit butterfly butthead caroline cartoons changeit changeme changeme1
  changeme123 charlie1 charlotte chelsea1 chocolate christian christina christine christopher cocacola computer
  computer1 creative danielle december default1 diamonds direngrey dolphins dragon123 dragonball elephant elizabeth
  emmanuel everton1 facebook fernando firebird fireball flowers1 football football1 freedom1 fuckyou1 fuckyou123
  gangster garfield gateway1 godzilla goldfish google123 guest123 hahahaha hannah123 hardcore heather1 hello123
  hello1234 helloworld internet internet1 iloveyou iloveyou1 iloveyou2 iloveyou! isabella jackson1 jasmine1 jennifer
  jessica1 jonathan jordan23 juventus killer123 kimberly kristina kristine lakers24 letmein1 letmein123 letmein!
  leonardo liverpool liverpool1 login123 logitech lol123456 london123 lovelove loveme123 madison1 majestic
  manchester maradona marlboro master123 maverick melissa1 mercedes metallica michael1 michelle microsoft
  midnight minecraft monkey123 monster1 motorola mountain mustang1 mypassword naruto123 nathan123 newyork1 nicholas
  nintendo november october1 p@55w0rd p@ssw0rd p@ssw0rd1 p@ssword pa55word pa55w0rd pakistan passw0rd passw0rd1
  passpass password password! password0 password01 password1 password1! password10 password11 password12
  password123 password1234 password2 password3 password5 password7 password8 password9 password@123 patricia
  penelope picasso1 pingpong pokemon1 pokemon123 porsche1 portugal precious princess princess1 q1w2e3r4
  q1w2e3r4t5 q1w2e3r4t5y6 qazwsx12 qazwsx123 qazwsxedc qqqqqqqq qwaszx12 qwe12345 qwe123456 qweasd123 qweasdzxc
  qweqweqwe qwer1234 qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwertyui qwertyuio qwertyuiop
  qwertyuiop123 rainbow1 ranger123 rebecca1 rockstar ronaldo7 root1234 rootroot samantha samsung1 samsung123
  sandiego scorpion sebastian secret123 september serenity shadow123 shopping skywalker slipknot snickers snowball
  soccer123 softball spiderman spiderman1 spongebob starcraft starwars starwars1 stephanie steelers sterling
  strawberry summer123 sunflower sunshine sunshine1 superman superman1 superstar swordfish teamo123 temp1234
  temppass test1234 test12345 testing1 testing123 testtest thailand thebeatles thomas123 thunder1 tinkerbell
  tottenham trinity1 trustno1 twilight undertaker user1234 valentin vanessa1 veronica victoria warcraft warcraft1
  warriors welcome01 welcome1 welcome12 welcome123 welcome1234 welcome@123 whatever whatever1 william1 wolfgang
  wordpass www12345 xxxxxxxx yankees1 yellow12 zaq12wsx zaq1xsw2 zaq1zaq1 zxcvbnm1 zxcvbnm123 zxcvbnma zxcasdqwe
  zxczxczxc zzzzzzzz
  `
    .trim()
    .split(/\s+/),
);
