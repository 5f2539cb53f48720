package audience

// Names that people have, by where they live: women's, men's, families'.
var (
	women = [][]string{
		english: {"Olivia", "Amelia", "Grace", "Chloe", "Zoe", "Hannah", "Ruby", "Maya", "Ella", "Harper", "Naomi", "Paige"},
		german:  {"Lena", "Marie", "Johanna", "Frieda", "Sophie", "Anke", "Clara", "Mila", "Greta", "Nele"},
		french:  {"Camille", "Manon", "Chloé", "Inès", "Léa", "Juliette", "Élise", "Margaux", "Anaïs", "Zoé"},
		iberian: {
			"Ana", "Lucía", "Beatriz", "Carolina", "Sofía", "Valentina", "Inês", "Giulia", "Marta", "Camila", "Daniela",
		},
		nordic:  {"Freja", "Astrid", "Ingrid", "Saga", "Linnea", "Sigrid", "Aino", "Maja", "Elin"},
		slavic:  {"Zofia", "Katarzyna", "Olena", "Tereza", "Ioana", "Elena", "Maja", "Daria", "Natalia"},
		asian:   {"Yuki", "Sakura", "Hana", "Min-seo", "Ji-woo", "Mei", "Aoi", "Rin", "Soo-jin"},
		indian:  {"Aditi", "Priya", "Ananya", "Kavya", "Dewi", "Siti", "Meera", "Isha", "Putri"},
		turkish: {"Elif", "Zeynep", "Defne", "Leyla", "Nour", "Mariam", "Ece", "Selin"},
	}
	men = [][]string{
		english: {"Jack", "Noah", "Liam", "Ethan", "Callum", "Mason", "Tyler", "Dylan", "Owen", "Marcus", "Jamal", "Ben"},
		german:  {"Jonas", "Lukas", "Felix", "Moritz", "Finn", "Daan", "Sven", "Tobias", "Emil", "Bram"},
		french:  {"Hugo", "Lucas", "Théo", "Antoine", "Mathis", "Bastien", "Jules", "Rémi", "Nathan"},
		iberian: {"Mateo", "Diego", "João", "Pedro", "Thiago", "Marco", "Javier", "Rafael", "Andrés", "Luca", "Miguel"},
		nordic:  {"Erik", "Lars", "Magnus", "Oskar", "Nils", "Mikkel", "Eero", "Sindre", "Anders"},
		slavic:  {"Jakub", "Piotr", "Andriy", "Tomáš", "Mihai", "Nikos", "Bence", "Oleh", "Marek"},
		asian:   {"Haruto", "Ren", "Min-jun", "Ji-ho", "Kenji", "Wei", "Sora", "Daiki", "Hyun"},
		indian:  {"Arjun", "Rohan", "Vikram", "Aarav", "Budi", "Agus", "Karan", "Nikhil", "Rizky"},
		turkish: {"Emre", "Kaan", "Mert", "Omar", "Youssef", "Deniz", "Can", "Burak"},
	}
	families = [][]string{
		english: {
			"Walker", "Hughes", "Carter", "Bennett", "Reed", "Foster", "Murphy", "Coleman", "Price", "Shaw", "Okafor", "Grant",
			"Doyle", "Hayes",
		},
		german: {"Schmidt", "Weber", "Krüger", "Vogel", "Brandt", "de Vries", "Jansen", "Keller", "Huber", "Lange"},
		french: {"Martin", "Dubois", "Laurent", "Moreau", "Girard", "Lefèvre", "Mercier", "Tremblay", "Gagnon"},
		iberian: {
			"Silva", "Souza", "García", "Fernández", "Oliveira", "Rossi", "Ramos", "Castro", "Herrera", "Santos", "Ricci",
			"Vargas",
		},
		nordic:  {"Lindberg", "Nygaard", "Hansen", "Eriksson", "Berg", "Virtanen", "Dahl", "Holm", "Tamm"},
		slavic:  {"Kowalski", "Nowak", "Shevchenko", "Novák", "Popescu", "Papadakis", "Szabó", "Wójcik"},
		asian:   {"Sato", "Tanaka", "Kim", "Park", "Lee", "Suzuki", "Choi", "Tan", "Mori"},
		indian:  {"Sharma", "Patel", "Rao", "Mehta", "Iyer", "Santoso", "Wijaya", "Kapoor"},
		turkish: {"Yılmaz", "Demir", "Kaya", "Hassan", "Şahin", "Mansour", "Arslan"},
	}
)

// Words that artists, podcasts, titles and halls are named by.
var (
	adjectives = []string{
		"Glass", "Velvet", "Northern", "Paper", "Silent", "Golden", "Hollow", "Electric", "Pale", "Crimson", "Wild",
		"Distant", "Broken", "Lunar", "Salt", "Copper", "Marble", "Neon", "Quiet", "Burning", "Winter", "Amber", "Static",
		"Lost",
	}
	nouns = []string{
		"Lanterns", "Harbour", "Atlas", "Rivers", "Foxes", "Cathedrals", "Engines", "Orchard", "Satellites", "Tides",
		"Wolves", "Mirrors", "Pilots", "Gardens", "Empire", "Shadows", "Machines", "Islands", "Choir", "Arcade", "Sparrows",
		"Meridian", "Ghosts", "Horizon",
	}
	singers = []string{
		"Mira Vale", "Teo Marin", "Ana Lopes", "Kid Static", "June Okoye", "Silas Wren", "Nadia Frost", "Leo Castell",
		"Yuna Park", "Ivo Lind", "Marisol Reyes", "Dex Harlow", "Esme Laurent", "Rafa Duarte", "Kaya Storm", "Otis Grey",
		"Freya Holt", "Zeke Monroe", "Lila Moon", "Arlo Finch",
	}
	shows = []string{
		"The Night Desk", "Liner Notes", "Vinyl Stories", "Backstage Pass", "Half Past Midnight", "The Demo Tape",
		"Tour Bus Diaries", "Second Chorus",
	}
	titleStarts = []string{
		"Midnight", "Summer", "Falling", "Letters to", "Under", "Running from", "Dancing in", "Dear", "Waiting for", "Almost",
		"After", "Chasing", "Echoes of", "Back to", "Nothing but", "Leaving", "Counting", "Beyond",
	}
	titleEnds = []string{
		"the Rain", "You", "Marseille", "the City", "Gold", "the Sun", "Nowhere", "Home", "Blue", "Fire", "the Ocean",
		"Tomorrow", "Neon", "Silence", "Stars", "the Wire", "Paper", "Strangers", "October", "the Radio",
	}
	halls = []string{"Arena", "Hall", "Theatre", "Ballroom", "Club", "Park Stage", "Opera House", "Warehouse"}

	genres = []string{"Pop", "Indie", "Electronic", "Hip-Hop", "Rock", "Folk", "Latin", "Metal"}
)
